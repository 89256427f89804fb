/// What a node has beyond its links: a table of slots, listeners, hooks.
///
/// Under `.chain` and `.skipping` the table has the node's own slots; under `.baton` also everything
/// that was pushed down to it.
final class Contents {
  /// Open addressing with linear probing.
  private(set) var table = Table(capacity: 2)
  private(set) var count = 0
  var listening: Listening?
  var hooks: Hooks?
  /// Where the node hung before it was detached, for explanations.
  weak var formerParent: Responder?
  /// Where survivors of the node are announced.
  var mailbox: Mailbox?

  var capacity: Int { table.capacity }
  private var entries: UnsafeMutablePointer<Entry> { table.entries }

  deinit {
    for index in 0..<capacity { entries[index].clear() }
    entries.deallocate()
  }

  /// The entry of a key. The pointer is good until the next change of the table.
  @inline(__always)
  func find(_ id: KeyID) -> UnsafeMutablePointer<Entry>? { table.find(id) }

  /// The slot that the node itself has for a key.
  func ownSlot(_ id: KeyID) -> Slot? {
    guard let entry = find(id), entry.pointee.isOwn else { return nil }
    return entry.pointee.slot?.takeUnretainedValue()
  }

  /// Replaces the entry of a key.
  func put(_ id: KeyID, slot: Slot, cell: Cell?, isOwn: Bool) {
    if let entry = find(id) {
      entry.pointee.set(slot: slot, cell: cell, isOwn: isOwn)
      return
    }
    if (count + 1) * 4 > capacity * 3 { grow() }
    count += 1
    var index = home(id.word)
    while entries[index].key != 0 { index = (index + 1) & (capacity - 1) }
    entries[index].key = id.word
    entries[index].set(slot: slot, cell: cell, isOwn: isOwn)
  }

  /// Removes the entry of a key, and closes the gap so that probing needs no tombstones.
  func remove(_ id: KeyID) {
    guard let found = find(id) else { return }
    var dying = found.pointee
    defer { dying.clear() }
    found.pointee = Entry()
    count -= 1
    var hole = found - entries
    var next = (hole + 1) & (capacity - 1)
    while entries[next].key != 0 {
      let wanted = home(entries[next].key)
      let distance = (next - wanted) & (capacity - 1)
      if distance >= (next - hole) & (capacity - 1) {
        entries[hole] = entries[next]
        entries[next] = Entry()
        hole = next
      }
      next = (next + 1) & (capacity - 1)
    }
  }

  /// The node's own slots, in no particular order.
  var ownSlots: [Slot] { slots { $0.isOwn } }

  /// Own slots and pushed ones.
  var allSlots: [Slot] { slots { _ in true } }

  /// What was pushed down to the node.
  var pushedSlots: [Slot] { slots { !$0.isOwn } }

  private func slots(_ isWanted: (Entry) -> Bool) -> [Slot] {
    (0..<capacity).compactMap {
      isWanted(entries[$0]) ? entries[$0].slot?.takeUnretainedValue() : nil
    }
  }

  private func grow() {
    let old = table
    table = Table(capacity: 2 * old.capacity)
    for index in 0..<old.capacity where old.entries[index].key != 0 {
      var target = home(old.entries[index].key)
      while entries[target].key != 0 { target = (target + 1) & (capacity - 1) }
      entries[target] = old.entries[index]
    }
    old.entries.deallocate()
  }

  private func home(_ word: UInt) -> Int {
    table.home(KeyID(word: word)) / MemoryLayout<Entry>.stride
  }
}

/// Where a node's entries are. It moves when it grows, so a copy is good until a key is added.
struct Table {
  let entries: UnsafeMutablePointer<Entry>
  /// Where the last entry begins, in bytes: all bits that an offset can have. Offsets are counted
  /// in bytes, since an index would have to be multiplied at each step of a search.
  private let lastOffset: Int

  init(capacity: Int) {
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(), count: capacity)
    lastOffset = (capacity - 1) * MemoryLayout<Entry>.stride
  }

  var capacity: Int { lastOffset / MemoryLayout<Entry>.stride + 1 }

  /// The entry of a key.
  @inline(__always)
  func find(_ id: KeyID) -> UnsafeMutablePointer<Entry>? {
    var offset = home(id)
    while true {
      let entry = (UnsafeMutableRawPointer(entries) + offset).assumingMemoryBound(to: Entry.self)
      if entry.pointee.key == id.word { return entry }
      if entry.pointee.key == 0 { return nil }
      offset = (offset &+ MemoryLayout<Entry>.stride) & lastOffset
    }
  }

  /// The offset at which the search for a key begins.
  @inline(__always)
  func home(_ id: KeyID) -> Int { Int(truncatingIfNeeded: id.hash >> 32) & lastOffset }
}

/// One row of a node's table: the slot that decides here, and its value if it is one that can be
/// read at once. Slot and cell are retained by hand, so that a lookup counts nothing.
@usableFromInline
struct Entry {
  var key: UInt = 0
  /// The value itself if its type is a class, to be one step nearer.
  @usableFromInline private(set) var object: Unmanaged<AnyObject>?
  @usableFromInline private(set) var cell: Unmanaged<Cell>?
  /// The slot's address; the lowest bit, which an address does not need, says whether it is the
  /// node's own. A row has four words, so that a search counts in powers of two.
  private var owned: UInt = 0

  var slot: Unmanaged<Slot>? {
    UnsafeRawPointer(bitPattern: owned & ~1).map { .fromOpaque($0) }
  }

  /// Whether the slot is the node's own, not pushed from above.
  var isOwn: Bool { owned & 1 != 0 }

  mutating func set(slot newSlot: Slot, cell newCell: Cell?, isOwn: Bool) {
    let old = slot
    let new = Unmanaged.passRetained(newSlot).toOpaque()
    owned = UInt(bitPattern: new) | (isOwn ? 1 : 0)
    set(cell: newCell)
    old?.release()
  }

  /// Changes the value only: a dying responder may be reading the slot.
  mutating func set(cell newCell: Cell?) {
    let old = cell
    cell = newCell.map { Unmanaged.passRetained($0) }
    object = newCell?.object
    old?.release()
  }

  mutating func clear() {
    let old = self
    self = Entry()
    old.cell?.release()
    old.slot?.release()
  }
}
