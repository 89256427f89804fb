/// An object that follows one round, to learn for which change each listener is called.
package protocol RoundFollower: AnyObject {
  /// Notes that a change was made. Each change of a round has its own number.
  func didChange(_ number: Int)
  /// Notes that the listeners which a change concerns are about to be called.
  func willCall(_ number: Int)
  /// Notes that listeners were called.
  func didCall()
}

/// The functions that make a follower follow a round.
package enum RoundFollowing {
  /// Makes an object follow the current round until the round's end. Does nothing outside a round.
  /// A round has one follower, the last one that began.
  ///
  /// - Returns: false if it followed the round already.
  package static func begin(_ follower: any RoundFollower) -> Bool { Round.follow(follower) }
}
