/// An object that stores the archives of an engine. The engine retains this object.
protocol EngineFollower: AnyObject {
  /// Tells the follower that the state has changed. It is called once, for the first change after
  /// the follower has set ``Engine/isChangeAwaited``.
  func stateDidChange()

  /// Tells the follower that the records at a path and below it were erased. The engine's archive
  /// no longer has them.
  func stateWasErased(at path: [String])

  /// Tells the follower that no owner in the tree waits any more. This has changed the report.
  func waitDidEnd()
}
