/// The live objects of one entity in one context, by id.
///
/// Open addressing with linear probing over 16-byte slots; ids made one after another by one
/// process lie side by side, so that a table read in order is found in order. Objects are held
/// weakly. Removal shifts back what probed past; the map grows at three quarters and shrinks at an
/// eighth.
///
/// The slots are memory of its own because an array of weak references would be copied to grow.
struct IdentityMap: ~Copyable {
  private struct Slot {
    /// No object has id 0.
    var key: Int64 = 0
    weak var object: Instance?
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var mask: Int
  /// Slots in use, those of dead objects included.
  private(set) var count = 0

  init() {
    mask = 7
    slots = Self.allocate(8)
  }

  deinit {
    slots.deinitialize(count: mask + 1)
    slots.deallocate()
  }

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot(), count: count)
    return slots
  }

  @inline(__always)
  private func home(of key: Int64) -> Int {
    // The tick makes neighbours; the process number, mixed, is where they start.
    let process = UInt64(bitPattern: key & 0xF_FFFF)
    return Int(truncatingIfNeeded: UInt64(bitPattern: key >> 20) &+ process &* 0x9E37_79B9) & mask
  }

  /// The slot of a key, or the empty one where it belongs.
  @inline(__always)
  private func slot(of key: Int64) -> Int {
    var index = home(of: key)
    while slots[index].key != key, slots[index].key != 0 { index = (index + 1) & mask }
    return index
  }

  /// The live object with an id.
  func object(_ key: Int64) -> Instance? {
    let index = slot(of: key)
    return slots[index].key == 0 ? nil : slots[index].object
  }

  /// Registers an object whose id has no live object.
  mutating func insert(_ object: Instance) {
    if (count + 1) * 4 > (mask + 1) * 3 { resize(to: (mask + 1) * 2) }
    let index = slot(of: object.key)
    if slots[index].key == 0 { count += 1 }
    slots[index].key = object.key
    slots[index].object = object
  }

  /// Clears the slot of an id unless a live object has it.
  mutating func removeIfDead(_ key: Int64) {
    let index = slot(of: key)
    guard slots[index].key != 0, slots[index].object == nil else { return }
    close(index)
    count -= 1
    if mask > 7, count * 8 < mask + 1 { resize(to: (mask + 1) / 2) }
  }

  /// Clears the slot of a live object.
  mutating func remove(_ object: Instance) {
    let index = slot(of: object.key)
    guard slots[index].key != 0 else { return }
    slots[index].object = nil
    removeIfDead(object.key)
  }

  /// Empties a slot and shifts back those that probed past it.
  private func close(_ start: Int) {
    var hole = start
    var index = start
    while true {
      index = (index + 1) & mask
      let key = slots[index].key
      if key == 0 { break }
      let distance = (index &- home(of: key)) & mask
      if distance >= (index &- hole) & mask {
        slots[hole] = slots[index]
        hole = index
      }
    }
    slots[hole] = Slot()
  }

  private mutating func resize(to capacity: Int) {
    let old = slots
    let oldCount = mask + 1
    slots = Self.allocate(capacity)
    mask = capacity - 1
    for index in 0..<oldCount where old[index].key != 0 {
      let target = slot(of: old[index].key)
      (slots + target).moveUpdate(from: old + index, count: 1)
      (old + index).initialize(to: Slot())
    }
    old.deinitialize(count: oldCount)
    old.deallocate()
  }

  /// The live objects, in no order.
  var live: [Instance] {
    (0...mask).compactMap { slots[$0].key == 0 ? nil : slots[$0].object }
  }

  /// Whether each key is found from its home, and the count is right.
  func checkInvariants() -> Bool {
    var used = 0
    for index in 0...mask where slots[index].key != 0 {
      used += 1
      if slot(of: slots[index].key) != index { return false }
    }
    return used == count && count <= mask
  }
}
