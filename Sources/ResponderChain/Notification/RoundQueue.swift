/// Those who wait to be called in a round, by hops from the root, then by registration.
///
/// Each change brings its audience in order; the queue merges them.
struct RoundQueue {
  private struct Run {
    let places: UnsafeMutableBufferPointer<Audience.Place>
    /// The hops from the root to where the audience's own count begins.
    let base: UInt64
    var cursor = 0

    var order: UInt64 { places[cursor].order + base }
  }

  /// A heap: the run whose next is the first of all is at index 0.
  private var runs: [Run] = []

  /// Queues an audience, which the caller keeps alive.
  mutating func add(_ audience: Audience, depth: Int) {
    guard !audience.places.isEmpty else { return }
    runs.append(Run(places: audience.places, base: Audience.order(depth, 0)))
    var index = runs.count - 1
    while index > 0, runs[index].order < runs[(index - 1) / 2].order {
      runs.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// The next to be called, and its place.
  mutating func next() -> (order: UInt64, listener: Unmanaged<Listener>)? {
    guard !runs.isEmpty else { return nil }
    let order = runs[0].order
    let listener = runs[0].places[runs[0].cursor].listener
    runs[0].cursor += 1
    if runs[0].cursor == runs[0].places.count {
      let last = runs.removeLast()
      guard !runs.isEmpty else { return (order, listener) }
      runs[0] = last
    }
    if runs.count > 1 { siftDown() }
    return (order, listener)
  }

  /// Forgets everybody.
  mutating func removeAll() {
    runs = []
  }

  private mutating func siftDown() {
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < runs.count && runs[child].order < runs[least].order {
        least = child
      }
      if least == index { return }
      runs.swapAt(index, least)
      index = least
    }
  }
}
