extension TreeState {
  /// The largest number of drifting branches that are checked after each batch of letters.
  private static var driftingLimit: Int { 256 }

  /// Checks drifting branches. A branch whose child has no unsaved changes any more drops the
  /// child, and makes another one at its next read.
  ///
  /// The branches are checked again and again, because a context does not report that its changes
  /// were saved or discarded. The number of checks in one call is limited, so that many drifting
  /// branches do not slow down each batch of letters.
  ///
  /// - Returns: whether a branch has dropped its child.
  /// - Complexity: O(1) checks, and the changes of branches that drop their children.
  func recheckDrifting() -> Bool {
    guard !drifting.isEmpty else { return false }
    return Round.perform { round in
      var hasFollowed = false
      for _ in 0..<min(drifting.count, Self.driftingLimit) {
        guard !drifting.isEmpty else { break }
        if nextDrifting >= drifting.count { nextDrifting = 0 }
        let place = drifting[nextDrifting]
        if mayFollow(place) {
          drifting.swapRemove(at: nextDrifting) { _, _ in }
          follow(place, in: round)
          hasFollowed = true
        } else {
          nextDrifting += 1
        }
      }
      return hasFollowed
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
    // If the responder has left the tree, attaching it again checks whether the branch drifts.
    guard responder.attachedTree === self else { return }
    _ = slot.recheck()
    round.slotChanged(place.id, at: responder)
  }
}
