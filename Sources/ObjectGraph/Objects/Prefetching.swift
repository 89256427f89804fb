// The changed objects of a context lie apart from each other, and a loop that does little with each
// waits for memory most of the time: so it asks for the memory of one a few objects ahead.

/// The number of objects to look ahead: memory must arrive in time, and still be there.
package let objectsAhead = 6

extension [GraphObject] {
  /// Calls the closure with each object, whose memory was asked for before.
  @inline(__always)
  func forEachAhead(_ body: (GraphObject) throws -> Void) rethrows {
    for index in indices {
      if index + objectsAhead < count { ObjectIdentifier(self[index + objectsAhead]).prefetch() }
      try body(self[index])
    }
  }
}
