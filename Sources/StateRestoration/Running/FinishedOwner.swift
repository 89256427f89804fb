import ResponderChain

/// A restored responder or object with a `didFinishRestoring()` that is still to be called.
struct FinishedOwner {
  private let owner: any RestorationFinishing
  private let mark: Mark?

  /// Makes a finished owner; nil if `owner` is nil, because then there is no method to call.
  init?(_ owner: (any RestorationFinishing)?, _ mark: Mark?) {
    guard let owner else { return nil }
    self.owner = owner
    self.mark = mark
  }

  /// Makes the finished owner whose wait has ended; nil if there is no method to call.
  init?(_ wait: WaitingOwner, _ kinds: KindTable) {
    if let added = wait.object {
      self.init(added.object as? any RestorationFinishing, added.mark)
    } else {
      guard let responder = wait.responder, kinds.facts(of: responder).isFinishing else {
        return nil
      }
      self.init(responder as? any RestorationFinishing, responder.mark)
    }
  }

  /// Tells the responder or object, by `didFinishRestoring()`, that it is restored.
  func tell(_ session: Session) {
    let guarding = session.guarding
    let place = mark?.record.map { guarding.place(of: $0, in: session.application) }
    let outer = guarding.page.enter(place ?? .none)
    owner.didFinishRestoring()
    guarding.page.leave(to: outer)
  }
}
