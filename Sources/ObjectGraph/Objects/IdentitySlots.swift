/// The slots of an identity map, which the map's lock protects.
///
/// Access to the memory is safe because each index is below the capacity: `mask` or the bound of a
/// loop ensures it. All slots are initialised when their memory is allocated.
@safe
struct IdentitySlots: ~Copyable {
  private struct MapEntry {
    /// The id of the object. In an empty slot it is 0, which is the id of no object.
    var key: Int64 = 0
    var pointer: Liveness.Pointer?
  }

  private var slots: UnsafeMutablePointer<MapEntry>
  private var mask: Int
  private(set) var count = 0
  private var arrangement = Arrangement.runs
  private let secret: IdentityMap.Secret

  /// The rule for the home of each id, the slot where its search begins. When an id gets too far
  /// from its home, the map changes to the next rule.
  ///
  /// If two processes import rows, the homes of their ids often overlap. Rejected: scattering ids
  /// from the beginning, in groups of eight or sixty-four. It made `child copy` and `child save`
  /// slower.
  private enum Arrangement {
    /// The ids of one process have homes side by side.
    case runs
    /// Eight successive ids have homes side by side. Such groups are at a distance from each other.
    case eights
    /// Groups of eight ids are scattered by secret numbers, so that their homes cannot be
    /// predicted.
    case secret

    /// The greatest number of slots that an insertion may visit. If an insertion visits more, the
    /// map changes to the next rule, because the homes of two processes' ids overlap, or the ids
    /// were chosen to collide.
    var farthest: Int {
      switch self {
      case .runs: 64
      case .eights: 128
      case .secret: .max
      }
    }

    var next: Self { self == .runs ? .eights : .secret }
  }

  init(_ secret: IdentityMap.Secret) {
    self.secret = secret
    mask = 7
    unsafe slots = Self.allocate(8)
  }

  deinit { unsafe slots.deallocate() }

  var capacity: Int { mask + 1 }

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<MapEntry> {
    let slots = UnsafeMutablePointer<MapEntry>.allocate(capacity: count)
    unsafe slots.initialize(repeating: MapEntry(), count: count)
    return unsafe slots
  }

  @inline(__always)
  private func slot(at index: Int) -> MapEntry { unsafe slots[index] }

  @inline(__always)
  private func set(_ slot: MapEntry, at index: Int) { unsafe slots[index] = slot }

  @inline(__always)
  private func homeInRun(_ key: Int64) -> Int {
    let tick = UInt64(bitPattern: key) >> 20
    let process = UInt64(bitPattern: key) & 0xF_FFFF
    // Successive ticks (times of creation) have homes side by side. The mixed process number
    // decides where the homes of a process begin.
    return Int(truncatingIfNeeded: tick &+ process &* 0x9E37_79B9) & mask
  }

  @inline(__always)
  private func home(of key: Int64) -> Int {
    guard arrangement != .runs else { return homeInRun(key) }
    let tick = UInt64(bitPattern: key) >> 20
    let process = UInt64(bitPattern: key) & 0xF_FFFF
    return Int(truncatingIfNeeded: startOfEight(tick, process) &+ (tick & 7)) & mask
  }

  @inline(__always)
  private func startOfEight(_ tick: UInt64, _ process: UInt64) -> UInt64 {
    let shift = UInt64(mask.leadingZeroBitCount)
    guard arrangement == .secret else {
      let eight = (tick >> 3) &+ process &* 0xBF58_476D_1CE4_E5B9
      // Multiples of the golden ratio keep their distance from each other.
      return (eight &* 0x9E37_79B9_7F4A_7C15) &>> shift
    }
    let eight = (tick >> 3) << 20 | process
    // The product is folded twice, because multiples of one factor alone would be at equal
    // distances.
    let once = Self.folded(eight ^ secret.addend, secret.factor)
    return Self.folded(once ^ secret.factor, 0x9E37_79B9_7F4A_7C15 ^ secret.addend) &>> shift
  }

  /// Returns the two halves of a product, combined by exclusive or.
  @inline(__always)
  private static func folded(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
  }

  /// Returns the number of slots between the home of a slot's key and that slot.
  @inline(__always)
  private func distance(_ index: Int) -> Int { (index &- home(of: slot(at: index).key)) & mask }

  /// Returns the index of the slot with a key; nil if there is none. With the rule `runs`, it is
  /// nearly always enough to look at the key's home.
  @inline(__always)
  private func slot(of key: Int64) -> Int? {
    if arrangement == .runs {
      let home = homeInRun(key)
      let found = slot(at: home).key
      if found == key { return home }
      if found == 0 { return nil }
    }
    return search(key)
  }

  @inline(never)
  private func search(_ key: Int64) -> Int? {
    var index = home(of: key)
    var steps = 0
    while slot(at: index).key != key {
      // The entry here is nearer to its home than the key would be in this slot. If the map had the
      // key, the entry would have been moved to a later slot.
      if slot(at: index).key == 0 || distance(index) < steps { return nil }
      index = (index + 1) & mask
      steps += 1
    }
    return index
  }

  @inline(__always)
  func pointer(_ key: Int64) -> Liveness.Pointer? {
    guard let index = slot(of: key) else { return nil }
    return slot(at: index).pointer
  }

  /// Returns the number of slots that a search for a key visits.
  func probes(for key: Int64) -> Int {
    var (index, steps) = (home(of: key), 0)
    while slot(at: index).key != key, slot(at: index).key != 0, distance(index) >= steps {
      index = (index + 1) & mask
      steps += 1
    }
    return steps + 1
  }

  /// Makes room for some more objects.
  mutating func reserve(_ more: Int) {
    var capacity = mask + 1
    while (count + more) * 2 > capacity { capacity *= 2 }
    if capacity > mask + 1 { resize(to: capacity) }
  }

  mutating func insert(_ key: Int64, _ pointer: Liveness.Pointer) {
    if (count + 1) * 2 > mask + 1 { resize(to: (mask + 1) * 2) }
    let placed = place(MapEntry(key: key, pointer: pointer))
    if placed.isNew { count += 1 }
    if placed.steps > arrangement.farthest {
      arrangement = arrangement.next
      resize(to: mask + 1)
    }
  }

  /// Puts an entry into a slot. Entries that are nearer to their homes are moved to later slots to
  /// make room.
  ///
  /// - Returns: Whether the key is new, and the number of slots that were visited.
  @inline(__always)
  private func place(_ entry: MapEntry) -> (isNew: Bool, steps: Int) {
    if arrangement == .runs {
      let home = homeInRun(entry.key)
      if slot(at: home).key == 0 {
        set(entry, at: home)
        return (true, 0)
      }
    }
    return arrangement == .runs ? placeInRun(entry) : placeScattered(entry)
  }

  @inline(never)
  private func placeInRun(_ entry: MapEntry) -> (isNew: Bool, steps: Int) {
    placeInTurn(entry) { homeInRun($0) }
  }

  @inline(never)
  private func placeScattered(_ entry: MapEntry) -> (isNew: Bool, steps: Int) {
    placeInTurn(entry) { home(of: $0) }
  }

  @inline(__always)
  private func placeInTurn(
    _ entry: MapEntry, _ home: (Int64) -> Int
  ) -> (isNew: Bool, steps: Int) {
    var entry = entry
    var index = home(entry.key)
    var steps = 0
    var looked = 0
    while slot(at: index).key != 0 {
      if slot(at: index).key == entry.key {
        set(entry, at: index)
        return (false, looked)
      }
      let other = slot(at: index)
      let others = (index &- home(other.key)) & mask
      if others < steps {
        set(entry, at: index)
        entry = other
        steps = others
      }
      index = (index + 1) & mask
      steps += 1
      looked += 1
    }
    set(entry, at: index)
    return (true, looked)
  }

  /// Frees the memory. Later removals have no effect.
  mutating func close() {
    if mask == 7 {
      unsafe slots.update(repeating: MapEntry(), count: 8)
    } else {
      unsafe slots.deallocate()
      unsafe slots = Self.allocate(8)
      mask = 7
    }
    count = 0
    arrangement = .runs
  }

  mutating func remove(_ key: Int64, _ pointer: Liveness.Pointer) {
    // Another object may have the id of a dying object by now.
    guard let index = slot(of: key), slot(at: index).pointer == pointer else { return }
    shiftBack(to: index)
    count -= 1
    if count == 0 { arrangement = .runs }
    if mask > 7, count * 8 < mask + 1 { resize(to: (mask + 1) / 2) }
  }

  /// Empties a slot. The displaced entries directly after it are moved back by one slot.
  private func shiftBack(to start: Int) {
    var hole = start
    while true {
      let next = (hole + 1) & mask
      if slot(at: next).key == 0 || distance(next) == 0 { break }
      set(slot(at: next), at: hole)
      hole = next
    }
    set(MapEntry(), at: hole)
  }

  private mutating func resize(to capacity: Int) {
    let old = unsafe slots
    let oldCount = mask + 1
    unsafe slots = Self.allocate(capacity)
    mask = capacity - 1
    while unsafe !fill(from: old, oldCount) {
      arrangement = arrangement.next
      unsafe slots.update(repeating: MapEntry(), count: capacity)
    }
    unsafe old.deallocate()
  }

  /// Inserts the entries of the old slots. Returns false as soon as an entry would be too far from
  /// its home.
  private func fill(from old: UnsafeMutablePointer<MapEntry>, _ oldCount: Int) -> Bool {
    for index in 0..<oldCount where unsafe old[index].key != 0 {
      if place(unsafe old[index]).steps > arrangement.farthest { return false }
    }
    return true
  }

  var pointers: [Liveness.Pointer] { (0...mask).compactMap { slot(at: $0).pointer } }

  var reach: Int {
    (0...mask).reduce(0) { slot(at: $1).key == 0 ? $0 : max($0, distance($1)) }
  }

  func checkInvariants() -> Bool {
    var used = 0
    for index in 0...mask where slot(at: index).key != 0 {
      used += 1
      let previous = (index - 1) & mask
      let steps = distance(index)
      // Directly before a displaced entry is another entry, which is displaced by at most one slot
      // less.
      if steps > 0, slot(at: previous).key == 0 || distance(previous) < steps - 1 { return false }
      if slot(of: slot(at: index).key) != index { return false }
    }
    return used == count && count <= mask
  }
}
