/// The listeners that a change of one slot concerns, in the order in which they are told.
///
/// It is remembered until a registration, a move or another slot below the node: the next change of
/// the same slot then finds them in one array. Listeners that begin to wait or to observe are added
/// to it. It remembers the listeners, never what they heard.
final class Audience {
  /// One listener: hops below the node in the upper 24 bits, registration in the lower 40.
  struct Member {
    let order: UInt64
    let listener: ListenerRef

    init(_ listener: Listener, _ level: Int) {
      order = Audience.order(level, listener.number)
      self.listener = ListenerRef(listener)
    }
  }

  let id: KeyID
  private(set) var members: ContiguousArray<Member>
  /// The branches, which learn first that something changed: the answers of others depend on them.
  let branches: [Listener]
  /// The waits, which must not miss a failure.
  private(set) var waiting: [Listener]
  /// The node whose answer is that of all, if no branch lies between it and any of them.
  let common: CoreRef?
  /// Whether some of them have ended: the next listener that joins removes them, or the next change,
  /// which finds the others anew.
  var isStale = false
  /// The listeners, which the members do not retain.
  private var holding: [Listener]
  /// The listeners that were added since the others were sorted.
  private var newcomers: ContiguousArray<Member> = []

  /// Sorts listeners that were found level by level.
  init(
    _ id: KeyID, _ found: [(level: Int, listener: Listener)], common: CoreRef? = nil
  ) {
    self.id = id
    self.common = common
    holding = found.map(\.listener)
    branches = holding.filter { $0.kind == .branch }
    waiting = holding.filter { $0.kind == .waiting }
    members = Self.sorted(ContiguousArray(found.map { Member($0.listener, $0.level) }))
  }

  /// Adds a listener that begins to wait or to observe; the audience is not being told.
  func add(_ newcomer: Listener, _ level: Int) {
    holding.append(newcomer)
    if newcomer.kind == .waiting { waiting.append(newcomer) }
    newcomers.append(Member(newcomer, level))
  }

  /// Sorts the listeners that were added since.
  @inline(__always)
  func sortNewcomers() {
    if !newcomers.isEmpty { sortInNewcomers() }
  }

  @inline(never)
  private func sortInNewcomers() {
    members = Self.sorted(members + newcomers)
    newcomers = []
  }

  /// Removes the listeners that have ended; the audience is not being told.
  func sweep() {
    sortNewcomers()
    for listener in holding where listener.hasEnded { listener.unregister(outdating: false) }
    members.removeAll { $0.listener.with { $0.core == nil } }
    waiting.removeAll { $0.core == nil }
    holding.removeAll { $0.core == nil }
    isStale = false
  }

  static func order(_ level: Int, _ number: UInt64) -> UInt64 {
    UInt64(min(level, 0xFF_FFFF)) << 40 | number & 0xFF_FFFF_FFFF
  }

  /// Sorts by radix of the bytes in which the orders differ: linear, whatever order they come in.
  private static func sorted(_ members: ContiguousArray<Member>) -> ContiguousArray<Member> {
    guard members.count > 64 else {
      return ContiguousArray(members.sorted { $0.order < $1.order })
    }
    var sorted = members
    var scratch = members
    let differing = members.reduce(0) { $0 | ($1.order ^ members[0].order) }
    for shift in stride(from: UInt64(0), to: 64, by: 8) where (differing >> shift) & 0xFF != 0 {
      var starts = [Int](repeating: 0, count: 257)
      for place in sorted { starts[Int((place.order >> shift) & 0xFF) + 1] += 1 }
      for digit in 1...256 { starts[digit] += starts[digit - 1] }
      for place in sorted {
        let digit = Int((place.order >> shift) & 0xFF)
        scratch[starts[digit]] = place
        starts[digit] += 1
      }
      swap(&sorted, &scratch)
    }
    return sorted
  }
}
