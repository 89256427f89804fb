extension TreeState {
  /// The number of drifting branches that are checked after each batch of letters.
  private static var driftingLimit: Int { 256 }

  /// Lets drifting branches follow whose unsaved changes are gone, which the tree is not told.
  ///
  /// Where many drift, each is looked at in its turn, so that a batch of letters costs no more for
  /// them.
  func recheckDrifting() {
    guard !drifting.isEmpty else { return }
    Round.perform { round in
      for _ in 0..<min(drifting.count, Self.driftingLimit) {
        guard !drifting.isEmpty else { return }
        if nextDrifting >= drifting.count { nextDrifting = 0 }
        let place = drifting[nextDrifting]
        if mayFollow(place) {
          drifting.swapRemove(at: nextDrifting) { _, _ in }
          follow(place, in: round)
        } else {
          nextDrifting += 1
        }
      }
    }
  }

  private func mayFollow(_ place: DriftingBranch) -> Bool {
    guard let responder = place.responder.object,
      let branch = responder.contents?.slot(place.id)?.branch, branch.watcher === self
    else { return true }
    return !branch.isDrifting || !branch.mustKeepChild || responder.attachedTree !== self
  }

  private func follow(_ place: DriftingBranch, in round: Round) {
    guard let responder = place.responder.object,
      let slot = responder.contents?.slot(place.id), let branch = slot.branch,
      branch.watcher === self
    else { return }
    branch.watcher = nil
    // If it left, the attaching of its responder looks whether it drifts.
    guard responder.attachedTree === self else { return }
    _ = slot.recheck()
    round.slotChanged(place.id, at: responder)
  }
}
