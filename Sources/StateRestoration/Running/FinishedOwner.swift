import ResponderChain

/// A restored responder or object with a `didFinishRestoring()` that is still to be called.
struct FinishedOwner {
  private let owner: any RestorationFinishing
  private let mark: Mark?
  private let responder: Responder?

  /// Makes a finished owner; nil if `owner` is nil, because then there is no method to call.
  init?(_ owner: (any RestorationFinishing)?, _ mark: Mark?, _ responder: Responder?) {
    guard let owner else { return nil }
    self.owner = owner
    self.mark = mark
    self.responder = responder
  }

  /// Tells the responder or object, by `didFinishRestoring()`, that it is restored. During the
  /// call, the engine's crash guard names the record, if the engine still exists.
  func tell(by engine: Engine?) {
    guard let engine else { return owner.didFinishRestoring() }
    let place = engine.crashGuard.place
    let record = mark.flatMap { engine.record(of: $0) }
    engine.crashGuard.enter(
      .finishing, record?.number ?? GuardWord.noRecord,
      path: responder.map { path(at: $0, engine) } ?? 0)
    owner.didFinishRestoring()
    engine.crashGuard.leave(to: place)
  }

  private func path(at responder: Responder, _ engine: Engine) -> UInt64 {
    let path = engine.guardPath(of: responder)
    guard path != 0, let mark, responder.mark !== mark else { return path }
    return PathHash.hash(mark.identifier, below: path)
  }
}
