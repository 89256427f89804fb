/// A restored responder or object with a `didFinishRestoring()` that is still to be called.
struct FinishedOwner {
  private let owner: any RestorationFinishing
  private let record: Record

  /// Makes a finished owner; nil if the object does not exist any more or has no such method.
  init?(_ object: AnyObject?, _ record: Record) {
    guard let owner = object as? any RestorationFinishing else { return nil }
    (self.owner, self.record) = (owner, record)
  }

  /// Tells the responder or object, by `didFinishRestoring()`, that it is restored.
  func tell(_ session: Session) {
    let page = session.guarding.page
    let outer = page.enter(record.place)
    owner.didFinishRestoring()
    page.leave(to: outer)
  }
}
