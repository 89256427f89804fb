extension Round {
  /// Removes ended listeners from audiences while the round retains their nodes. A registration
  /// must not do this later, because the provider above may then be in its deinit on another
  /// thread.
  @inline(never)
  func sweep() {
    // The audience of a moved subtree is not stored, and its listeners may be in other audiences.
    for audience in stale where audience.id != KeyID(Never.self) { audience.sweep() }
    stale = []
  }

  /// Releases the objects that a round has retained.
  ///
  /// A deinit of such an object may begin another round. The objects of that round are released by
  /// the same loop, not by recursion. So a long chain of values, in which each deinit provides the
  /// next value, does not overflow the stack.
  @inline(__always)
  func release(_ released: inout [AnyObject]) {
    if isReleasing { return deferRelease(&released) }
    isReleasing = true
    released.removeAll(keepingCapacity: released.capacity <= Self.keptLimit)
    if hasDeferred { releaseDeferred() }
    isReleasing = false
  }

  @inline(never)
  private func deferRelease(_ released: inout [AnyObject]) {
    hasDeferred = true
    deferred.append(contentsOf: released)
    released = []
  }

  @inline(never)
  private func releaseDeferred() {
    while !deferred.isEmpty {
      var caused: [AnyObject] = []
      swap(&caused, &deferred)
      caused.removeAll()
    }
    hasDeferred = false
  }
}
