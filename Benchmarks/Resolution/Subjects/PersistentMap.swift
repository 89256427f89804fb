/// A hash array mapped trie from types to objects. An insertion shares everything that it does not
/// change.
struct PersistentMap {
  private var top = Trie(bits: 0, slots: [])

  /// Returns the object for the key, or nil.
  ///
  /// References to the tries on the way are not counted, because the tries are immutable and the
  /// top one keeps them alive. The function is inlined so that the call does not retain the top
  /// one.
  @inline(__always)
  func value(for key: ObjectIdentifier) -> AnyObject? {
    var hash = Self.hash(key)
    var trie = Unmanaged.passUnretained(top)
    while let slot = trie._withUnsafeGuaranteedRef({ $0.slot(hash) }) {
      if slot.key == key { return slot.object.takeUnretainedValue() }
      guard slot.key == nil else { return nil }
      trie = Unmanaged<Trie>.fromOpaque(slot.object.toOpaque())
      hash >>= 5
    }
    return nil
  }

  func inserting(_ object: AnyObject, for key: ObjectIdentifier) -> PersistentMap {
    var map = self
    let slot = Slot(key: key, object: .passUnretained(object))
    map.top = top.inserting(slot, hash: Self.hash(key), level: 0)
    return map
  }

  /// Returns a hash that differs for different keys, because both of its steps can be undone. Two
  /// keys therefore never collide in all their digits.
  private static func hash(_ key: ObjectIdentifier) -> UInt {
    let product = UInt(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
    return product ^ (product >> 32)
  }

  /// An entry, or the trie one level deeper if there is no key.
  private struct Slot {
    let key: ObjectIdentifier?
    let object: Unmanaged<AnyObject>
  }

  /// A level of the map, with up to 32 slots. Only the used slots are stored.
  private final class Trie {
    let bits: UInt32
    /// The used slots. Each trie retains the objects of its slots once.
    let slots: ContiguousArray<Slot>

    init(bits: UInt32, slots: ContiguousArray<Slot>) {
      (self.bits, self.slots) = (bits, slots)
      for slot in slots { _ = slot.object.retain() }
    }

    deinit { for slot in slots { slot.object.release() } }

    @inline(__always)
    func slot(_ hash: UInt) -> Slot? {
      let bit = UInt32(1) << UInt32(hash & 31)
      return bits & bit == 0 ? nil : slots[(bits & (bit &- 1)).nonzeroBitCount]
    }

    func inserting(_ slot: Slot, hash: UInt, level: UInt) -> Trie {
      let bit = UInt32(1) << UInt32((hash >> (5 * level)) & 31)
      let index = (bits & (bit &- 1)).nonzeroBitCount
      var slots = slots
      guard bits & bit != 0 else {
        slots.insert(slot, at: index)
        return Trie(bits: bits | bit, slots: slots)
      }
      let old = slots[index]
      if let key = old.key, key == slot.key {
        slots[index] = slot
        return Trie(bits: bits, slots: slots)
      }
      let below =
        if let key = old.key {
          Trie(bits: 0, slots: []).inserting(old, hash: PersistentMap.hash(key), level: level + 1)
        } else {
          Unmanaged<Trie>.fromOpaque(old.object.toOpaque()).takeUnretainedValue()
        }
      let merged = below.inserting(slot, hash: hash, level: level + 1)
      slots[index] = Slot(key: nil, object: .passUnretained(merged))
      return withExtendedLifetime(merged) { Trie(bits: bits, slots: slots) }
    }
  }
}
