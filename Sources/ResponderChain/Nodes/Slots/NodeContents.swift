/// The part of a node that few have: a table of slots, listeners, hooks.
///
/// Under `.chain` and `.skipping` the table has the node's own slots; under `.baton` also everything
/// that was pushed down to it.
final class NodeContents {
  /// Open addressing with linear probing.
  private(set) var rows = SlotRows(capacity: 2)
  /// The number of rows in use.
  private(set) var count = 0
  var listeners: ListenerIndex?
  var hooks: Hooks?
  /// The parent before the node was detached, for explanations.
  weak var formerParent: Responder?
  /// The receiver of notices of children that outlive the node.
  var orphanReceiver: (any OrphanReceiver)?

  var capacity: Int { rows.capacity }

  deinit { unsafe rows.destroy() }

  /// Returns the entry of a key.
  @inline(__always)
  func find(_ id: KeyID) -> EntryRef? { rows.find(id) }

  /// Returns the slot that the node itself has for a key.
  func ownSlot(_ id: KeyID) -> TableSlot? {
    guard let entry = find(id), entry.isOwn else { return nil }
    return entry.slot
  }

  /// Replaces the entry of a key.
  func put(_ slot: TableSlot, cell: Cell?, isOwn: Bool) {
    if let entry = find(slot.id) { return unsafe entry.set(slot, cell, isOwn: isOwn) }
    if (count + 1) * 4 > capacity * 3 { rows = unsafe rows.moved(toCapacity: 2 * capacity) }
    count += 1
    unsafe rows.addEntry(slot.id).set(slot, cell, isOwn: isOwn)
  }

  /// Removes the entry of a key.
  func remove(_ id: KeyID) {
    guard let found = find(id) else { return }
    count -= 1
    unsafe rows.remove(found)
  }

  /// The node's own slots, in no particular order.
  var ownSlots: [TableSlot] { slots { $0.isOwn } }

  /// The slots that were pushed down to the node.
  var pushedSlots: [TableSlot] { slots { !$0.isOwn } }

  private func slots(_ isWanted: (EntryRef) -> Bool) -> [TableSlot] {
    var slots: [TableSlot] = []
    rows.forEachEntry { if isWanted($0) { slots.append($0.slot) } }
    return slots
  }

  /// Calls the closure with the entries of own slots and of pushed ones, in no particular order.
  @inline(__always)
  func forEachEntry(_ body: (EntryRef) -> Void) { rows.forEachEntry(body) }
}

/// The rows of a node's table. They move when the table grows, so a copy is good until a key is
/// added.
@safe
struct SlotRows: Equatable {
  private let first: UnsafeMutablePointer<SlotEntry>
  /// The offset of the last entry in bytes: all bits that an offset can have. Offsets are counted in
  /// bytes, because an index would have to be multiplied at each step of a search.
  private let lastOffset: Int

  init(capacity: Int) {
    unsafe first = .allocate(capacity: capacity)
    unsafe first.initialize(repeating: SlotEntry(), count: capacity)
    lastOffset = (capacity - 1) * MemoryLayout<SlotEntry>.stride
  }

  var capacity: Int { lastOffset / MemoryLayout<SlotEntry>.stride + 1 }

  /// Returns the entry of a key.
  @inline(__always)
  func find(_ id: KeyID) -> EntryRef? {
    var offset = home(id)
    while true {
      let entry = unsafe at(offset)
      if unsafe entry.pointee.key == id.word { return unsafe EntryRef(entry) }
      if unsafe entry.pointee.key == 0 { return nil }
      offset = (offset &+ MemoryLayout<SlotEntry>.stride) & lastOffset
    }
  }

  /// Calls the closure with the entries in use, in no particular order.
  @inline(__always)
  func forEachEntry(_ body: (EntryRef) -> Void) {
    for index in 0..<capacity where unsafe first[index].key != 0 {
      body(unsafe EntryRef(first + index))
    }
  }

  static func == (a: SlotRows, b: SlotRows) -> Bool { unsafe a.first == b.first }

  @inline(__always)
  private func at(_ offset: Int) -> UnsafeMutablePointer<SlotEntry> {
    unsafe (UnsafeMutableRawPointer(first) + offset).assumingMemoryBound(to: SlotEntry.self)
  }

  /// Returns the offset at which the search for a key begins.
  @inline(__always)
  private func home(_ id: KeyID) -> Int { Int(truncatingIfNeeded: id.hash >> 32) & lastOffset }

  /// Takes the first free entry for a key.
  ///
  /// Unsafe because the search ends only at a free entry: the caller sees to it that a quarter of the
  /// rows is free, and that the key has none yet.
  @unsafe fileprivate func addEntry(_ id: KeyID) -> EntryRef {
    var offset = home(id)
    while unsafe at(offset).pointee.key != 0 {
      offset = (offset &+ MemoryLayout<SlotEntry>.stride) & lastOffset
    }
    unsafe at(offset).pointee.key = id.word
    return unsafe EntryRef(at(offset))
  }

  /// Removes an entry, and closes the gap so that searches need no tombstones.
  ///
  /// Unsafe because other entries move: the caller has no reference to one, and the entry is of these
  /// rows.
  @unsafe fileprivate func remove(_ entry: EntryRef) {
    var dying = unsafe entry.entry.pointee
    defer { dying.clear() }
    unsafe entry.entry.pointee = SlotEntry()
    var hole = unsafe UnsafeMutableRawPointer(entry.entry) - UnsafeMutableRawPointer(first)
    var next = (hole + MemoryLayout<SlotEntry>.stride) & lastOffset
    while unsafe at(next).pointee.key != 0 {
      let distance = (next - home(KeyID(word: unsafe at(next).pointee.key))) & lastOffset
      if distance >= (next - hole) & lastOffset {
        unsafe at(hole).pointee = at(next).pointee
        unsafe at(next).pointee = SlotEntry()
        hole = next
      }
      next = (next + MemoryLayout<SlotEntry>.stride) & lastOffset
    }
  }

  /// Moves all entries to new rows, and gives the memory of these back.
  ///
  /// Unsafe because these rows must not be used afterwards, nor any entry of them.
  @unsafe fileprivate func moved(toCapacity capacity: Int) -> SlotRows {
    let larger = SlotRows(capacity: capacity)
    forEachEntry { entry in
      let key = unsafe KeyID(word: entry.entry.pointee.key)
      unsafe larger.addEntry(key).entry.pointee = entry.entry.pointee
    }
    unsafe first.deallocate()
    return larger
  }

  /// Releases slots and cells, and gives the memory back.
  ///
  /// Unsafe because the rows must not be used afterwards, nor any entry of them.
  @unsafe fileprivate func destroy() {
    forEachEntry { unsafe $0.entry.pointee.clear() }
    unsafe first.deallocate()
  }
}

/// One row of a node's table: the slot that decides here, and its value if it is one that can be
/// read at once. Slot and cell are retained by hand, so that a lookup counts nothing.
private struct SlotEntry {
  var key: UInt = 0
  /// The value itself if its type is a class, to be one step nearer.
  private(set) var object: ObjectRef?
  private(set) var cell: CellRef?
  /// The slot's address; the lowest bit, which an address does not need, says whether it is the
  /// node's own. A row has four words, so that a search counts in powers of two.
  private var word: UInt = 0

  private var slot: Unmanaged<TableSlot>? {
    unsafe UnsafeRawPointer(bitPattern: word & ~1).map { unsafe .fromOpaque($0) }
  }

  /// The slot, retained.
  var strongSlot: TableSlot? { unsafe slot?.takeUnretainedValue() }

  /// Whether the slot is the node's own, not pushed from above.
  var isOwn: Bool { word & 1 != 0 }

  mutating func set(_ newSlot: TableSlot, _ newCell: Cell?, isOwn: Bool) {
    let old = unsafe slot
    let new = unsafe Unmanaged.passRetained(newSlot).toOpaque()
    word = UInt(bitPattern: new) | (isOwn ? 1 : 0)
    set(cell: newCell)
    unsafe old?.release()
  }

  /// Changes the value only: a dying responder may be reading the slot.
  mutating func set(cell newCell: Cell?) {
    let old = cell
    cell = newCell.map { CellRef($0) }
    unsafe cell?.retain()
    object = newCell?.object
    unsafe old?.release()
  }

  mutating func clear() {
    let old = self
    self = SlotEntry()
    unsafe old.cell?.release()
    unsafe old.slot?.release()
  }
}

/// A row of a node's table. Valid until a key is added to the table or removed from it.
@safe
struct EntryRef {
  fileprivate let entry: UnsafeMutablePointer<SlotEntry>

  fileprivate init(_ entry: UnsafeMutablePointer<SlotEntry>) { unsafe self.entry = entry }

  /// The cell of the value, if it can be read without evaluating anything.
  @inline(__always)
  var cell: CellRef? { unsafe entry.pointee.cell }

  /// The value itself, if it can be read without evaluating anything and its type is a class.
  @inline(__always)
  var object: ObjectRef? { unsafe entry.pointee.object }

  /// Whether the slot is the node's own, not pushed from above.
  var isOwn: Bool { unsafe entry.pointee.isOwn }

  /// The slot that decides here.
  var slot: TableSlot {
    guard let slot = unsafe entry.pointee.strongSlot else {
      preconditionFailure("an entry without a slot")
    }
    return slot
  }

  /// Changes the value, not the slot.
  func set(cell: Cell?) { unsafe entry.pointee.set(cell: cell) }

  /// Changes the slot, and the value with it.
  ///
  /// Unsafe because nothing checks that the row's key is the slot's.
  @unsafe fileprivate func set(_ slot: TableSlot, _ cell: Cell?, isOwn: Bool) {
    unsafe entry.pointee.set(slot, cell, isOwn: isOwn)
  }
}

extension TableSlot {
  /// Returns the slot as the class that all slots have; a debug build checks it.
  @inline(__always)
  final func cast<Full: TableSlot>(to type: Full.Type) -> Full {
    unsafe unsafeDowncast(self, to: type)
  }
}

extension CoreRef {
  /// Returns the entry of a key, the node's own or one that was pushed down to it.
  @inline(__always)
  func entry(_ id: KeyID) -> EntryRef? { with { $0.contents?.find(id) } }

  /// Returns the entry of the node's own slot for a key.
  @inline(__always)
  func ownEntry(_ id: KeyID) -> EntryRef? { with { $0.ownEntry(id) } }
}

extension Core {
  /// Returns the entry of the node's own slot for a key.
  @inline(__always)
  func ownEntry(_ id: KeyID) -> EntryRef? {
    guard flags & id.bit != 0, let entry = contents?.find(id), entry.isOwn else { return nil }
    return entry
  }
}
