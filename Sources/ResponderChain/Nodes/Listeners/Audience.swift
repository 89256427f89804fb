/// The listeners that a change of one slot concerns, in the order in which they are called.
///
/// The slot's node stores the audience until a listener, a subtree or a slot is added or removed
/// below. But new waits and observers are added to the stored audience if possible. The next change
/// of the slot then finds all listeners in one array. An audience has listeners, but not their
/// answers.
final class Audience {
  /// One listener, with its place in the order; see ``Audience/order(of:level:)``.
  struct Member {
    let order: UInt64
    let listener: ListenerRef

    init(_ listener: Listener, _ level: Int) {
      self.init(listener, order: Audience.order(of: listener, level: level))
    }

    init(_ listener: Listener, order: UInt64) {
      self.order = order
      self.listener = ListenerRef(listener)
    }
  }

  let id: KeyID
  private(set) var members: ContiguousArray<Member>
  /// The listeners of branches. A change is reported to them first, because the answers below
  /// depend on the branches.
  let branches: [Listener]
  /// The listeners of waits. A failure is reported to them at once, because the slot may be loading
  /// again before their tasks run.
  private(set) var waiting: [Listener]
  /// The audience's node if all listeners have the same answer as this node; nil if a branch lies
  /// between the node and a listener.
  let common: CoreRef?
  /// Whether a round has found ended listeners in this audience. The round removes them at its end.
  var isStale = false
  /// Strong references to all listeners, because ``members`` does not retain them.
  private var holding: [Listener]
  /// The members that were added after the last sort. They are not in ``members`` yet.
  private var newcomers: ContiguousArray<Member> = []

  /// Makes an audience of listeners that were found level by level.
  ///
  /// - Complexity: O(*n*).
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

  /// Adds a new wait or observer. The caller must make sure that no round is calling the audience.
  func add(_ newcomer: Listener, _ level: Int) {
    holding.append(newcomer)
    if newcomer.kind == .waiting { waiting.append(newcomer) }
    newcomers.append(Member(newcomer, level))
  }

  /// Sorts the members that were added since the last sort into ``members``.
  @inline(__always)
  func sortNewcomers() {
    if !newcomers.isEmpty { sortInNewcomers() }
  }

  @inline(never)
  private func sortInNewcomers() {
    members = Self.sorted(members + newcomers)
    newcomers = []
  }

  /// Removes the listeners that have ended. The caller must make sure that no round is calling the
  /// audience.
  func sweep() {
    sortNewcomers()
    for listener in holding where listener.hasEnded { listener.unregister(outdating: false) }
    members.removeAll { $0.listener.with { $0.core == nil } }
    waiting.removeAll { $0.core == nil }
    holding.removeAll { $0.core == nil }
    isStale = false
  }

  /// Returns a listener's place in the order of a round, by stage, then by hops, then by
  /// registration number.
  ///
  /// The highest bit is the stage, and the lower 40 bits are the number. The 23 bits between are
  /// `level`, the hops below the audience's node. A round adds ``order(ofHops:)`` of the hops above
  /// that node.
  static func order(of listener: Listener, level: Int) -> UInt64 {
    UInt64(listener.stage.rawValue) << 63 | order(ofHops: level)
      | listener.number & 0xFF_FFFF_FFFF
  }

  /// Returns a number of hops as the middle bits of an order. The number is limited to 22 bits, so
  /// that the sum of two such numbers does not reach the bit of the stage.
  static func order(ofHops hops: Int) -> UInt64 { UInt64(min(hops, 0x3F_FFFF)) << 40 }

  /// Returns an order that is after those of all listeners of a stage.
  static func order(behind stage: RoundStage) -> UInt64 {
    UInt64(stage.rawValue) << 63 | UInt64.max >> 1
  }

  /// Returns the members sorted by ``Member/order``. More than 64 members are sorted by a radix
  /// sort, which skips each byte that is equal in all orders.
  ///
  /// - Complexity: O(*n*) for *n* members, sorted or not.
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
