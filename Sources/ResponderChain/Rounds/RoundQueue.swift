/// The listeners that are still to be called in a round, by stage, then by hops from the root, then
/// by registration.
///
/// Each change adds an audience, whose listeners are in order already. So the queue is a heap of
/// audiences. It merges them without sorting their listeners again.
struct RoundQueue {
  /// A queued audience, or the queued work at the end of a stage, with the index of the next member
  /// to be called.
  struct Run {
    /// The audience; nil for the work at the end of a stage, which is the only member of its run.
    let audience: AudienceRef?
    /// The members of the audience when it was queued.
    let members: ContiguousArray<Audience.Member>
    /// The hops from the root to the audience's node, encoded as an order. It is added to each
    /// member's own order, which counts only the hops below that node.
    let base: UInt64
    /// The node whose answer all listeners have; see ``Audience/common``.
    let common: CoreRef?
    /// The number of changes in the round when the audience was queued.
    let changes: Int
    /// The index of the next member to be called.
    var cursor = 0

    /// The order of the next member to be called.
    var order: UInt64 { order(at: cursor) }

    /// Returns the order of the listener at an index. It can be compared with orders of other
    /// audiences.
    @inline(__always)
    func order(at index: Int) -> UInt64 { members[index].order + base }

    /// Returns a copy of the run, in which the next member to be called is at the given index.
    func rest(from cursor: Int) -> Run {
      var rest = self
      rest.cursor = cursor
      return rest
    }
  }

  /// The queued audiences as a heap. The first one has the listener that is called next.
  private var runs: [Run] = []

  /// Queues an audience. The caller must retain it until all its listeners were called.
  mutating func add(_ audience: Audience, depth: Int, changes: Int) {
    let members = audience.members
    guard !members.isEmpty else { return }
    add(
      Run(
        audience: AudienceRef(audience), members: members,
        base: Audience.order(ofHops: depth), common: audience.common, changes: changes))
  }

  /// Queues the work at the end of a stage. The caller must retain it until it was done.
  mutating func add(_ work: StageWork) {
    let member = Audience.Member(work, order: Audience.order(behind: work.stage))
    add(Run(audience: nil, members: [member], base: 0, common: nil, changes: 0))
  }

  /// Queues a run. Some of its listeners may have been called already.
  mutating func add(_ run: consuming Run) {
    runs.append(run)
    var index = runs.count - 1
    while index > 0, runs[index].order < runs[(index - 1) / 2].order {
      runs.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes and returns the run with the listener that is called next; nil if the queue is empty.
  mutating func takeFirst() -> Run? {
    guard let last = runs.popLast() else { return nil }
    guard let first = runs.first else { return last }
    runs[0] = last
    siftDown()
    return first
  }

  var isEmpty: Bool { runs.isEmpty }

  /// The number of runs for which the queue has memory.
  var capacity: Int { runs.capacity }

  /// Returns whether a queued listener comes before the given order. The queue must not be empty.
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
