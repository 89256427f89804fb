/// A hash array mapped trie from types to objects. The map after an insertion shares all unchanged
/// parts with the map before.
struct PersistentMap {
  private var top = Trie(bits: 0, slots: [])

  /// Returns the object for the key; nil if there is none.
  ///
  /// The function counts no references to tries. This is safe because tries are immutable and the
  /// top trie keeps the others alive. The function is inlined so that its caller does not retain
  /// the top trie.
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

  /// Returns the hash of a key. Different keys have different hashes, because both steps of the
  /// computation are reversible. So two keys differ in at least one digit of their hashes.
  private static func hash(_ key: ObjectIdentifier) -> UInt {
    let product = UInt(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
    return product ^ (product >> 32)
  }

  /// An entry of the map. If `key` is nil, the object is the trie one level deeper.
  private struct Slot {
    let key: ObjectIdentifier?
    let object: Unmanaged<AnyObject>
  }

  /// A trie of one level, with up to 32 slots. Only the used slots are stored.
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
