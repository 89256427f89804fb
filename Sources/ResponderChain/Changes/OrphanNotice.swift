/// A notice of a responder that may have outlived its parent.
struct OrphanNotice: Letter {
  private let orphan: ConfinedWeak<Responder>

  init(_ responder: Responder) { orphan = ConfinedWeak(responder) }

  var isAction: Bool { false }

  func apply(from mailbox: Mailbox, to root: AnyObject?) {
    guard let responder = orphan.strong else { return }
    // Its own survivors are announced here, too.
    responder.core.madeContents().orphanReceiver = mailbox
    responder.core.set(NodeBits.needsTeardown, true)
    Round.perform { $0.detachFromDeadParent(responder) }
  }
}

extension Mailbox: OrphanReceiver {
  func receive(orphan responder: Responder) { post(OrphanNotice(responder)) }
}
