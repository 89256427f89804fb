/// An object that another module attaches to a responder. It is told of changes of the responder's
/// links.
///
/// The functions are called when the change of the links is complete, those about links and slots
/// before ``Responder/didAttach()``. An attachment may then change links below its responder, and
/// no others. An attachment must not retain its responder, which retains it. It may be released on
/// any thread, and later than its responder, if a child outlives the responder.
package protocol Attachment: AnyObject {
  /// Tells the attachment that a child, root view or presented controller was linked under the
  /// responder, unlinked from it, or moved among the others.
  func ownedDidChange(of responder: Responder)

  /// Tells the attachment that the responder itself has got a parent. Attachments of its
  /// descendants are not told.
  func didLink(_ responder: Responder)

  /// Tells the attachment that the responder itself has lost its parent, which may have ended.
  /// Attachments of its descendants are not told. A move to another parent is followed by
  /// ``didLink(_:)``.
  func didUnlink(_ responder: Responder)

  /// Tells the attachment that a slot of the responder was added, removed, or replaced by another
  /// slot, or that a branch has another policy.
  func slotsDidChange(of responder: Responder)

  /// Tells the attachment that a slot of the responder, which stays the same, has another value.
  func valueDidChange(_ key: any ContextKey.Type, of responder: Responder)

  /// Tells the attachment that ``Responder/didAttach()`` and ``Responder/onAttach`` have run. These
  /// may have changed the links again.
  func didAttach(_ responder: Responder)

  /// Tells the attachment that its responder ends. It may be called on any thread.
  ///
  /// The attachment may live longer. So it must now release all objects that may retain a responder
  /// below its own.
  func ownerWillEnd()
}

extension Attachment {
  package func ownedDidChange(of responder: Responder) {}
  package func didLink(_ responder: Responder) {}
  package func didUnlink(_ responder: Responder) {}
  package func slotsDidChange(of responder: Responder) {}
  package func valueDidChange(_ key: any ContextKey.Type, of responder: Responder) {}
  package func didAttach(_ responder: Responder) {}
  package func ownerWillEnd() {}
}

/// The core of a responder that got an attachment before it needed a core for anything else.
///
/// So a leaf with an attachment takes one block of memory more than a leaf without. A responder
/// that has another core already keeps its attachment in its ``NodeContents``.
final class AttachedCore: Core {
  private var held: (any Attachment)?

  override var heldAttachment: (any Attachment)? {
    get { held }
    set { held = newValue }
  }
}

extension Core {
  /// The attachment of the responder.
  final var attachment: (any Attachment)? {
    get { heldAttachment }
    set {
      heldAttachment = newValue
      set(NodeBits.attached, newValue != nil)
    }
  }
}

extension Responder {
  /// The attachment. It is looked for only if the responder's bits say that there is one.
  @inline(__always)
  final var ownAttachment: (any Attachment)? {
    has(NodeBits.attached) ? ownCore?.attachment : nil
  }
}
