/// An object that follows one round. It is told for which change each listener is called.
package protocol RoundFollower: AnyObject {
  /// Tells the follower that a change has queued listeners. Different changes of a round have
  /// different numbers.
  func didChange(_ number: Int)
  /// Tells the follower that listeners of the change with this number are about to be called.
  func willCall(_ number: Int)
  /// Tells the follower that the calls after the last ``willCall(_:)`` have ended.
  func didCall()
}

/// The namespace of the function that begins to follow a round.
package enum RoundFollowing {
  /// Makes an object the follower of the current round. Does nothing outside a round. A round has
  /// one follower at a time: a new one replaces the one before.
  ///
  /// - Returns: false if the object was the round's follower already.
  package static func begin(_ follower: any RoundFollower) -> Bool { Round.follow(follower) }
}
