import ResponderChain

/// The part of the crash guard that concerns observers. Observers are called at the end of a round,
/// when many records may have been restored. So the guard notes, for each change, the record that
/// was being restored when the change was made.
extension CrashGuard: RoundFollower {
  /// Registers the guard with the current round, if the guard is on. The round then tells the guard
  /// of each change, and of each call of observers.
  func followRound() {
    guard isOn else { return }
    // Several restorations may share one round. The observers of the round are called after all
    // these restorations, so only the first restoration clears the origins.
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
