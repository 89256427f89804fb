/// An object that another module attaches to a responder. It is told of changes of the responder's
/// links.
///
/// The notices come when the links are right. All but the last come before
/// ``Responder/didAttach()``. They may change links below the responder, and no others. An attachment
/// must not retain its responder, which retains it. It may be released on any thread, and later than
/// its responder, if a child outlives the responder.
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
  /// slot, or that a branch has another policy. Another value in the same slot is not told.
  func slotsDidChange(of responder: Responder)

  /// Tells the attachment that ``Responder/didAttach()`` and ``Responder/onAttach`` have run. They
  /// may have changed the links again.
  func didAttach(_ responder: Responder)

  /// Tells the attachment that its responder ends, on any thread.
  ///
  /// The attachment may live on, so it must let go here what may retain a responder below its own.
  func ownerWillEnd()
}

extension Attachment {
  package func ownedDidChange(of responder: Responder) {}
  package func didLink(_ responder: Responder) {}
  package func didUnlink(_ responder: Responder) {}
  package func slotsDidChange(of responder: Responder) {}
  package func didAttach(_ responder: Responder) {}
  package func ownerWillEnd() {}
}

/// The core of a responder that got an attachment before it needed a core for anything else.
///
/// So a leaf with an attachment takes one piece of memory more than a leaf without. A responder
/// that has another core already keeps its attachment in its ``NodeContents``.
final class AttachedCore: Core {
  fileprivate var held: (any Attachment)?
}

extension Core {
  /// The attachment of the responder.
  final var attachment: (any Attachment)? {
    get {
      if let core = self as? AttachedCore { return core.held }
      return contents?.attachment as? any Attachment
    }
    set {
      if let core = self as? AttachedCore {
        core.held = newValue
      } else {
        madeContents().attachment = newValue
      }
      set(NodeBits.attached, newValue != nil)
    }
  }
}

extension Responder {
  /// The attachment, which is looked for only if there is one.
  @inline(__always)
  final var ownAttachment: (any Attachment)? {
    has(NodeBits.attached) ? ownCore?.attachment : nil
  }
}
