// The changed objects of a context are scattered in memory. A loop that does little with each
// object would mostly wait for memory. So it prefetches the memory of an object a few steps ahead
// (benchmark `update`).

/// The number of objects between the current one and the one that is prefetched. Memory must arrive
/// in time, and must still be in the cache when it is used.
package let objectsAhead = 6

extension [GraphObject] {
  /// Calls the closure with each object, whose memory was prefetched before.
  @inline(__always)
  func forEachAhead(_ body: (GraphObject) throws -> Void) rethrows {
    for index in indices {
      if index + objectsAhead < count { ObjectIdentifier(self[index + objectsAhead]).prefetch() }
      try body(self[index])
    }
  }
}
