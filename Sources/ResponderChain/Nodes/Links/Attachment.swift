/// An object that another module attaches to a responder. It is told of changes of the responder's
/// links and slots.
///
/// Each function is called when the change that it reports is complete. The functions about links
/// and slots are called before ``Responder/didAttach()``. An attachment may change links below its
/// responder in these calls, but no other links.
///
/// An attachment must not retain its responder, because the responder retains the attachment. It
/// may be released on any thread. It is released later than its responder if a child outlives the
/// responder.
package protocol Attachment: AnyObject {
  /// Tells the attachment that a child, root view or presented controller was linked under the
  /// responder, unlinked from it, or moved to another index.
  func ownedDidChange(of responder: Responder)

  /// Tells the attachment that the responder itself has got a parent. Attachments of its
  /// descendants are not told.
  func didLink(_ responder: Responder)

  /// Tells the attachment that the responder itself has lost its parent, which may have ended.
  /// Attachments of its descendants are not told. In a move to another parent, ``didLink(_:)`` is
  /// called next.
  func didUnlink(_ responder: Responder)

  /// Tells the attachment that a slot of the responder was added, removed, or replaced by another
  /// slot, or that a branch has another policy.
  func slotsDidChange(of responder: Responder)

  /// Tells the attachment that a slot of the responder has another value. The slot itself was not
  /// replaced.
  func valueDidChange(_ key: any ContextKey.Type, of responder: Responder)

  /// Tells the attachment that a context whose unsaved changes are kept for the responder may have
  /// others, or that the responder has such a branch now.
  func keptChangesDidChange(of responder: Responder)

  /// Returns whether archived changes of the responder's branch for a key wait for their context.
  func hasWaitingChanges(_ key: any ContextKey.Type) -> Bool

  /// Drops the archived changes that wait for the context of the responder's branch for a key.
  func dropWaitingChanges(_ key: any ContextKey.Type)

  /// Tells the attachment that ``Responder/didAttach()`` and ``Responder/onAttach`` have run. These
  /// may have changed the links again.
  func didAttach(_ responder: Responder)

  /// Tells the attachment that its responder ends. The function may be called on any thread.
  ///
  /// The attachment may live longer than its responder. So it must now release all objects that may
  /// retain a responder below.
  func ownerWillEnd()
}

extension Attachment {
  package func ownedDidChange(of responder: Responder) {}
  package func didLink(_ responder: Responder) {}
  package func didUnlink(_ responder: Responder) {}
  package func slotsDidChange(of responder: Responder) {}
  package func valueDidChange(_ key: any ContextKey.Type, of responder: Responder) {}
  package func keptChangesDidChange(of responder: Responder) {}
  package func hasWaitingChanges(_ key: any ContextKey.Type) -> Bool { false }
  package func dropWaitingChanges(_ key: any ContextKey.Type) {}
  package func didAttach(_ responder: Responder) {}
  package func ownerWillEnd() {}
}

/// The core of a responder that had no core when it got its attachment.
///
/// A leaf with an attachment takes only one more block of memory than a leaf without one, because
/// this core has a property for the attachment. A responder that had a core already keeps its
/// attachment in its ``NodeContents``.
final class AttachedCore: Core {
  private var held: (any Attachment)?

  override var heldAttachment: (any Attachment)? {
    get { held }
    set { held = newValue }
  }
}

extension Core {
  /// The attachment of the responder; nil if there is none.
  final var attachment: (any Attachment)? {
    get { heldAttachment }
    set {
      heldAttachment = newValue
      set(NodeBits.attached, newValue != nil)
    }
  }
}

extension Responder {
  /// The attachment; nil if there is none. The flag ``NodeBits/attached`` is checked first, so that
  /// nothing else is read for a responder without an attachment.
  @inline(__always)
  final var ownAttachment: (any Attachment)? {
    has(NodeBits.attached) ? ownCore?.attachment : nil
  }
}
