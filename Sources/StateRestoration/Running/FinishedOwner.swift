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

  /// Tells the responder or object, by `didFinishRestoring()`, that it is restored. During the
  /// call, the engine's crash guard names the record, if the engine still exists.
  func tell(by engine: Engine?) {
    guard let engine else { return owner.didFinishRestoring() }
    let record = mark.flatMap { engine.record(of: $0) }
    let outer = engine.crashGuard.enter(record.map { engine.place(of: $0) } ?? .none)
    owner.didFinishRestoring()
    engine.crashGuard.leave(to: outer)
  }
}
