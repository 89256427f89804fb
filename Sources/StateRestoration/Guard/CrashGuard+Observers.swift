import ResponderChain

/// The part of the guard for observers. They are called at the end of a round, when many records
/// may have been restored. So the guard notes, for each change, the record that was being restored.
extension CrashGuard: RoundFollower {
  /// Follows the changes of the running round, if the guard is on.
  func followRound() {
    guard isOn else { return }
    // Several restorations may share a round, and its observers are called after all of them.
    if RoundFollowing.begin(self) { origins = [:] }
  }

  func didChange(_ number: Int) {
    guard let origin = place.asOrigin else { return }
    origins[number] = origin
  }

  func willCall(_ number: Int) {
    guard let origin = origins[number] else { return }
    placeBeforeCall = place
    enter(origin)
  }

  func didCall() {
    guard let before = placeBeforeCall.take() else { return }
    leave(to: before)
  }
}
