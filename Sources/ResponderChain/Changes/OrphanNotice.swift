/// A letter that unlinks a responder from a parent that has ended.
///
/// If the whole application has ended, nothing applies the letter. The responder is then unlinked
/// at the next change in its subtree.
struct OrphanNotice: Letter {
  private let orphan: ConfinedWeak<Responder>

  init(_ responder: Responder) { orphan = ConfinedWeak(responder) }

  var isAction: Bool { false }

  func apply(from mailbox: Mailbox, to root: AnyObject?) {
    guard let responder = orphan.strong else { return }
    // If children of the responder outlive it, notices about them are posted to the same mailbox.
    responder.core.makeContentsIfNeeded().orphanReceiver = mailbox
    responder.core.set(NodeBits.needsTeardown, true)
    Round.perform { $0.detachFromDeadParent(responder) }
  }
}

extension Mailbox: OrphanReceiver {
  func receive(orphan responder: Responder) { post(OrphanNotice(responder)) }
}
