extension TreeState {
  /// The number of drifting branches that are checked after each batch of letters.
  private static var driftingLimit: Int { 256 }

  /// Checks drifting branches. Those without unsaved changes any more drop their child and follow.
  ///
  /// They are checked in turn, because a context does not tell the tree when it has no unsaved
  /// changes any more. The number of checks is limited, so that a batch of letters costs no more
  /// where many branches drift.
  ///
  /// - Complexity: O(1) checks for each call, without the changes of branches that follow.
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
    // If the responder has left the tree, attaching it checks whether the branch drifts.
    guard responder.attachedTree === self else { return }
    _ = slot.recheck()
    round.slotChanged(place.id, at: responder)
  }
}
