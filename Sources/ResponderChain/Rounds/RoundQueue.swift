/// The listeners that wait to be called in a round, by hops from the root, then by registration.
///
/// Each change brings its audience in order; the queue merges them.
struct RoundQueue {
  /// An audience, and how far it was told.
  struct Run {
    let audience: AudienceRef
    /// The audience's members when it was queued.
    let members: ContiguousArray<Audience.Member>
    /// The hops from the root to where the audience's own count begins.
    let base: UInt64
    /// See ``Audience/common``.
    let common: CoreRef?
    /// The number of changes in the round when the audience was found.
    let changes: Int
    var cursor = 0

    var order: UInt64 { order(at: cursor) }

    /// Where the listener at an index stands among those of all audiences.
    @inline(__always)
    func order(at index: Int) -> UInt64 { members[index].order + base }

    /// The same run, told as far as an index.
    func rest(from cursor: Int) -> Run {
      var rest = self
      rest.cursor = cursor
      return rest
    }
  }

  /// A heap: the run whose next is the first of all is at index 0.
  private var runs: [Run] = []

  /// Queues an audience, which the caller keeps until it is told.
  mutating func add(_ audience: Audience, depth: Int, changes: Int) {
    let members = audience.members
    guard !members.isEmpty else { return }
    add(
      Run(
        audience: AudienceRef(audience), members: members,
        base: Audience.order(depth, 0), common: audience.common, changes: changes))
  }

  /// Queues the rest of an audience.
  mutating func add(_ run: consuming Run) {
    runs.append(run)
    var index = runs.count - 1
    while index > 0, runs[index].order < runs[(index - 1) / 2].order {
      runs.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Takes out the audience that has the next to be called.
  mutating func takeFirst() -> Run? {
    guard let last = runs.popLast() else { return nil }
    guard let first = runs.first else { return last }
    runs[0] = last
    siftDown()
    return first
  }

  var isEmpty: Bool { runs.isEmpty }

  /// The number of audiences for which there is memory.
  var capacity: Int { runs.capacity }

  /// Returns whether a queued listener is to be called before one that stands there.
  func comes(before order: UInt64) -> Bool { runs[0].order < order }

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
