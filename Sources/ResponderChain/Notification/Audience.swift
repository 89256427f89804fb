/// Those whom a change at one node concerns, in the order in which they are told.
///
/// It is remembered until somebody registers, moves or provides below the node: the next change of
/// the same slot then finds them in one array. Listeners that begin to wait or to observe are added to
/// it. Who they are is remembered, never what they heard.
final class Audience {
  /// One who is told: hops below the node in the upper 24 bits, registration in the lower 40.
  struct Place {
    let order: UInt64
    let listener: Unmanaged<Listener>

    init(_ listener: Listener, _ level: Int) {
      order = Audience.order(level, listener.number)
      self.listener = .passUnretained(listener)
    }
  }

  let id: KeyID
  private(set) var places: UnsafeMutableBufferPointer<Place>
  /// They learn first that something changed: what they resolve to depends on it.
  let branches: [BranchListener]
  /// Those who must not miss a failure.
  private(set) var waiting: [Waiting]
  /// The node whose answer is that of all, if no branch lies between it and any of them.
  let common: Unmanaged<Core>?
  /// Whether some of them have ended: they are swept by whoever joins, or by the next change, which
  /// finds the others anew.
  var isStale = false
  private var holding: [Listener]
  /// Those who were added since the others were sorted.
  private var newcomers: [Place] = []

  /// Sorts listeners that were found level by level.
  init(
    _ id: KeyID, _ found: [(level: Int, listener: Listener)], common: Unmanaged<Core>? = nil
  ) {
    self.id = id
    self.common = common
    holding = found.map(\.listener)
    // The kind is the class.
    branches = holding.filter { $0.kind == .branch }.map {
      unsafeDowncast($0, to: BranchListener.self)
    }
    waiting = holding.filter { $0.kind == .waiting }.map { unsafeDowncast($0, to: Waiting.self) }
    places = Self.sorted(found.map { Place($0.listener, $0.level) })
  }

  deinit { places.deallocate() }

  /// Adds one who begins to wait or to observe; nobody is telling the audience.
  func add(_ newcomer: Listener, _ level: Int) {
    holding.append(newcomer)
    if newcomer.kind == .waiting { waiting.append(unsafeDowncast(newcomer, to: Waiting.self)) }
    newcomers.append(Place(newcomer, level))
  }

  /// Puts those who were added since into their places.
  func settle() {
    guard !newcomers.isEmpty else { return }
    replace(places + newcomers)
    newcomers = []
  }

  /// Takes the registrations of those who have ended back; nobody is telling the audience.
  func sweep() {
    settle()
    for listener in holding where listener.hasEnded { listener.unregister(outdating: false) }
    replace(places.filter { $0.listener._withUnsafeGuaranteedRef { $0.unretainedCore != nil } })
    waiting.removeAll { $0.unretainedCore == nil }
    holding.removeAll { $0.unretainedCore == nil }
    isStale = false
  }

  private func replace(_ unsorted: [Place]) {
    places.deallocate()
    places = Self.sorted(unsorted)
  }

  static func order(_ level: Int, _ number: UInt64) -> UInt64 {
    UInt64(min(level, 0xFF_FFFF)) << 40 | number & 0xFF_FFFF_FFFF
  }

  /// Sorts by radix of the bytes in which the orders differ: linear, whatever order they come in.
  private static func sorted(_ places: [Place]) -> UnsafeMutableBufferPointer<Place> {
    let sorted = UnsafeMutableBufferPointer<Place>.allocate(capacity: places.count)
    _ = sorted.initialize(from: inOrder(places))
    return sorted
  }

  private static func inOrder(_ places: [Place]) -> [Place] {
    guard places.count > 64 else { return places.sorted { $0.order < $1.order } }
    var sorted = places
    var scratch = places
    let differing = places.reduce(0) { $0 | ($1.order ^ places[0].order) }
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
