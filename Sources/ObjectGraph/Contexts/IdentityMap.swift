import Synchronization

/// The live objects of one entity in one context, by id.
///
/// Open addressing with linear probing over 16-byte slots; ids made one after another by one
/// process lie side by side, so that a table read in order is found in order. Should such runs of
/// two processes overlap, which would make each id as far from home as the run is long, the map
/// scatters them in eights. Who is farther from home keeps the slot (Robin Hood), so that a
/// removal in a long run shifts back only those who were moved on. The map grows at a half and
/// shrinks at an eighth.
///
/// Objects are not retained. An object's last reference may be dropped on any thread, and its deinit
/// takes it out; a lock is all that the owner and a dying object share. See ``Liveness`` for why a
/// pointer found in a slot may be followed.
package final class IdentityMap: Sendable {
  private let slots = Mutex(Slots())

  package init() {}

  /// The live object with an id.
  @inline(__always)
  package func object(_ key: Int64) -> Instance? {
    let found = slots.withLock { slots -> Liveness.Pointer? in
      guard let pointer = slots.pointer(key) else { return nil }
      return Liveness.retain(pointer)
    }
    guard let found else { return nil }
    return Unmanaged<Instance>.fromOpaque(found.pointer).takeRetainedValue()
  }

  /// Registers an object whose id has no live object.
  package func insert(_ object: Instance) {
    let pointer = Liveness.Pointer(object)
    let key = object.key
    slots.withLock { $0.insert(key, pointer) }
  }

  /// Takes an object out, also from its deinit.
  package func remove(_ object: Instance) {
    let pointer = Liveness.Pointer(object)
    let key = object.key
    slots.withLock { $0.remove(key, pointer) }
  }

  /// Forgets all objects: nobody is left who would look for one.
  package func close() { slots.withLock { $0.close() } }

  /// The live objects, in no order.
  package var live: [Instance] {
    let found = slots.withLock { slots in slots.pointers.compactMap(Liveness.retain) }
    return found.map { Unmanaged<Instance>.fromOpaque($0.pointer).takeRetainedValue() }
  }

  /// The number of objects that are not yet taken out.
  package var count: Int { slots.withLock { $0.count } }

  /// The number of slots there is memory for.
  package var capacity: Int { slots.withLock { $0.capacity } }

  /// How far the farthest key is from its home.
  package var reach: Int { slots.withLock { $0.reach } }

  /// Whether each key is found from its home, and the count is right.
  package func checkInvariants() -> Bool { slots.withLock { $0.checkInvariants() } }
}

/// Pointers by id, under the map's lock.
private struct Slots: ~Copyable {
  private struct Slot {
    /// No object has id 0.
    var key: Int64 = 0
    var pointer: Liveness.Pointer?
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var mask: Int
  private(set) var count = 0
  /// Whether no more than eight ids in a row lie side by side.
  private var isScattered = false

  /// Who must look farther looks through another process's run.
  private static let farthest = 64

  init() {
    mask = 7
    slots = Self.allocate(8)
  }

  deinit { slots.deallocate() }

  var capacity: Int { mask + 1 }

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot(), count: count)
    return slots
  }

  @inline(__always)
  private func home(of key: Int64) -> Int {
    let tick = UInt64(bitPattern: key) >> 20
    let process = UInt64(bitPattern: key) & 0xF_FFFF
    // The tick makes neighbours; the process number, mixed, is where they start.
    guard isScattered else {
      return Int(truncatingIfNeeded: tick &+ process &* 0x9E37_79B9) & mask
    }
    let eight = (tick >> 3) &+ process &* 0xBF58_476D_1CE4_E5B9
    // Multiples of the golden ratio keep their distance from each other.
    let start = (eight &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(mask.leadingZeroBitCount)
    return Int(truncatingIfNeeded: start &+ (tick & 7)) & mask
  }

  /// How far from its home the key in a slot is.
  @inline(__always)
  private func distance(_ index: Int) -> Int { (index &- home(of: slots[index].key)) & mask }

  /// The slot of a key, if it has one.
  @inline(__always)
  private func slot(of key: Int64) -> Int? {
    var index = home(of: key)
    var steps = 0
    while slots[index].key != key {
      // Had it been inserted, it would have taken the place of one that is nearer to its home.
      if slots[index].key == 0 || distance(index) < steps { return nil }
      index = (index + 1) & mask
      steps += 1
    }
    return index
  }

  @inline(__always)
  func pointer(_ key: Int64) -> Liveness.Pointer? {
    guard let index = slot(of: key) else { return nil }
    return slots[index].pointer
  }

  mutating func insert(_ key: Int64, _ pointer: Liveness.Pointer) {
    if (count + 1) * 2 > mask + 1 { resize(to: (mask + 1) * 2) }
    let placed = place(Slot(key: key, pointer: pointer))
    if placed.isNew { count += 1 }
    if placed.steps > Self.farthest, !isScattered {
      isScattered = true
      resize(to: mask + 1)
    }
  }

  /// Puts an entry where it belongs, moving those on that are nearer to their homes.
  ///
  /// - Returns: whether it is new, not one instead of another of the same key; and how many slots
  ///   were looked at.
  @inline(__always)
  private func place(_ entry: Slot) -> (isNew: Bool, steps: Int) {
    var entry = entry
    var index = home(of: entry.key)
    var steps = 0
    var looked = 0
    while slots[index].key != 0 {
      if slots[index].key == entry.key {
        slots[index] = entry
        return (false, looked)
      }
      let others = distance(index)
      if others < steps {
        swap(&slots[index], &entry)
        steps = others
      }
      index = (index + 1) & mask
      steps += 1
      looked += 1
    }
    slots[index] = entry
    return (true, looked)
  }

  /// Gives back the memory; what is removed later is not there.
  mutating func close() {
    slots.deallocate()
    slots = Self.allocate(8)
    mask = 7
    count = 0
    isScattered = false
  }

  mutating func remove(_ key: Int64, _ pointer: Liveness.Pointer) {
    // A dying object's id may have another object by now.
    guard let index = slot(of: key), slots[index].pointer == pointer else { return }
    shiftBack(to: index)
    count -= 1
    if count == 0 { isScattered = false }
    if mask > 7, count * 8 < mask + 1 { resize(to: (mask + 1) / 2) }
  }

  /// Empties a slot and shifts back those that were moved on because of it.
  private func shiftBack(to start: Int) {
    var hole = start
    while true {
      let next = (hole + 1) & mask
      if slots[next].key == 0 || distance(next) == 0 { break }
      slots[hole] = slots[next]
      hole = next
    }
    slots[hole] = Slot()
  }

  private mutating func resize(to capacity: Int) {
    let old = slots
    let oldCount = mask + 1
    slots = Self.allocate(capacity)
    mask = capacity - 1
    if !fill(from: old, oldCount) {
      isScattered = true
      slots.update(repeating: Slot(), count: capacity)
      _ = fill(from: old, oldCount)
    }
    old.deallocate()
  }

  /// False as soon as an entry would be too far from home, unless they are scattered.
  private func fill(from old: UnsafeMutablePointer<Slot>, _ oldCount: Int) -> Bool {
    for index in 0..<oldCount where old[index].key != 0 {
      if place(old[index]).steps > Self.farthest, !isScattered { return false }
    }
    return true
  }

  var pointers: [Liveness.Pointer] { (0...mask).compactMap { slots[$0].pointer } }

  var reach: Int {
    (0...mask).reduce(0) { slots[$1].key == 0 ? $0 : max($0, distance($1)) }
  }

  func checkInvariants() -> Bool {
    var used = 0
    for index in 0...mask where slots[index].key != 0 {
      used += 1
      let previous = (index - 1) & mask
      let steps = distance(index)
      // Nobody was moved on past one who is farther from home, or past an empty slot.
      if steps > 0, slots[previous].key == 0 || distance(previous) < steps - 1 { return false }
      if slot(of: slots[index].key) != index { return false }
    }
    return used == count && count <= mask
  }
}
