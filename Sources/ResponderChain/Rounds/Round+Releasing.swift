extension Round {
  /// Removes ended listeners while the round keeps their nodes. Registering a listener must not
  /// remove them, because the provider above may then be in its deinit on another thread.
  @inline(never)
  func sweep() {
    // The audience of a move is not remembered, and its listeners may be in other audiences.
    for audience in stale where audience.id != KeyID(Never.self) { audience.sweep() }
    stale = []
  }

  /// Releases the objects that a round kept, one after the other.
  ///
  /// A deinit may cause further rounds. Their objects are released by the same loop, so a chain of
  /// values whose deinits provide the next needs no stack.
  @inline(__always)
  func release(_ released: inout [AnyObject]) {
    if isReleasing { return deferRelease(&released) }
    isReleasing = true
    released.removeAll(keepingCapacity: released.capacity <= Self.keptLimit)
    if !deferred.isEmpty { releaseDeferred() }
    isReleasing = false
  }

  @inline(never)
  private func deferRelease(_ released: inout [AnyObject]) {
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
  }
}
