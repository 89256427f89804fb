/// The parts of a node that few nodes have, such as a table of slots, listeners and hooks.
///
/// Under `.chain` and `.skipping` the table has the node's own slots. Under `.baton` the table also
/// has all slots that were pushed down to the node.
final class NodeContents {
  /// The rows of the node's table, which is a hash table with open addressing and linear probing.
  private(set) var rows = unsafe SlotRows.empty
  /// The number of rows in use.
  private(set) var count = 0
  var listeners: ListenerIndex?
  var hooks: Hooks?
  /// The parent from which the responder was detached, for use in explanations.
  weak var formerParent: Responder?
  /// The receiver of notices about children that outlive the responder.
  var orphanReceiver: (any OrphanReceiver)?
  /// The ``Attachment`` of a responder whose core is not an ``AttachedCore``. An `AnyObject` takes
  /// one word. An `any Attachment` takes two, and would make each object of this class need a
  /// larger block of memory.
  var attachment: AnyObject?

  var capacity: Int { rows.capacity }

  deinit { unsafe rows.destroy() }

  /// Returns the entry for a key; nil if there is none.
  @inline(__always)
  func find(_ id: KeyID) -> EntryRef? { rows.find(id) }

  /// Returns the node's own slot for a key; nil if there is none.
  func ownSlot(_ id: KeyID) -> TableSlot? {
    guard let entry = find(id), entry.isOwn else { return nil }
    return entry.slot
  }

  /// Sets the entry for the slot's key. Adds an entry if there is none.
  func put(_ slot: TableSlot, cell: Cell?, isOwn: Bool) {
    if let entry = find(slot.id) { return unsafe entry.set(slot, cell, isOwn: isOwn) }
    if (count + 1) * 4 > capacity * 3 { rows = unsafe rows.moved(toCapacity: 2 * capacity) }
    count += 1
    unsafe rows.addEntry(slot.id).set(slot, cell, isOwn: isOwn)
  }

  /// Removes the entry for a key, if there is one.
  func remove(_ id: KeyID) {
    guard let found = find(id) else { return }
    count -= 1
    unsafe rows.remove(found)
  }

  /// Returns the node's own slot in a row of the table; nil if the row has none. The table has
  /// ``capacity`` rows.
  func ownSlot(inRow row: Int) -> TableSlot? {
    guard let entry = rows.entry(inRow: row), entry.isOwn else { return nil }
    return entry.slot
  }

  /// The node's own slots, in no particular order.
  var ownSlots: [TableSlot] { slots { $0.isOwn } }

  /// The slots of nodes above that were pushed down to this node.
  var pushedSlots: [TableSlot] { slots { !$0.isOwn } }

  private func slots(_ isWanted: (EntryRef) -> Bool) -> [TableSlot] {
    var slots: [TableSlot] = []
    rows.forEachEntry { if isWanted($0) { slots.append($0.slot) } }
    return slots
  }

  /// Calls the closure with all entries, own and pushed, in no particular order.
  @inline(__always)
  func forEachEntry(_ body: (EntryRef) -> Void) { rows.forEachEntry(body) }
}

/// A reference to the rows of a node's table. The rows move when the table grows, so a copy of this
/// value is valid only until a key is added.
@safe
struct SlotRows: Equatable {
  private let first: UnsafeMutablePointer<SlotEntry>
  /// The offset of the last entry in bytes, which is also the mask of all offsets. Offsets are in
  /// bytes, because an index would have to be multiplied at each step of a search.
  private let lastOffset: Int

  /// The rows of all tables that never had an entry. Sharing them is safe, because nothing writes
  /// to them: a table's first entry goes to new rows.
  nonisolated(unsafe) static let empty = SlotRows(capacity: 1)

  init(capacity: Int) {
    unsafe first = .allocate(capacity: capacity)
    unsafe first.initialize(repeating: SlotEntry(), count: capacity)
    lastOffset = (capacity - 1) * MemoryLayout<SlotEntry>.stride
  }

  var capacity: Int { lastOffset / MemoryLayout<SlotEntry>.stride + 1 }

  /// Returns the entry for a key; nil if there is none.
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

  /// Returns the entry in a row; nil if the row is free.
  func entry(inRow row: Int) -> EntryRef? {
    precondition(0..<capacity ~= row, "There is no row \(row).")
    return unsafe first[row].key == 0 ? nil : EntryRef(first + row)
  }

  static func == (a: SlotRows, b: SlotRows) -> Bool { unsafe a.first == b.first }

  @inline(__always)
  private func at(_ offset: Int) -> UnsafeMutablePointer<SlotEntry> {
    unsafe (UnsafeMutableRawPointer(first) + offset).assumingMemoryBound(to: SlotEntry.self)
  }

  /// Returns the offset at which the search for a key begins.
  @inline(__always)
  private func home(_ id: KeyID) -> Int { Int(truncatingIfNeeded: id.hash >> 32) & lastOffset }

  /// Adds an entry for a key in the free row at which a search for the key ends.
  ///
  /// Unsafe because a search without a free row would not end. The caller must make sure that a
  /// quarter of the rows is free, and that the key has no entry yet.
  @unsafe fileprivate func addEntry(_ id: KeyID) -> EntryRef {
    var offset = home(id)
    while unsafe at(offset).pointee.key != 0 {
      offset = (offset &+ MemoryLayout<SlotEntry>.stride) & lastOffset
    }
    unsafe at(offset).pointee.key = id.word
    return unsafe EntryRef(at(offset))
  }

  /// Removes an entry, and moves later entries into the gap, because a search ends at a free row.
  ///
  /// Unsafe because references to entries become invalid. The caller must pass an entry of these
  /// rows, and must not use references to entries afterwards.
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

  /// Frees the memory of the rows. Does nothing for the shared ``empty`` rows, the only ones with a
  /// capacity of one.
  private func deallocate() {
    if capacity > 1 { unsafe first.deallocate() }
  }

  /// Moves all entries to new rows, deallocates the old rows, and returns the new ones.
  ///
  /// Unsafe because the old rows, and references to their entries, must not be used afterwards.
  @unsafe fileprivate func moved(toCapacity capacity: Int) -> SlotRows {
    let larger = SlotRows(capacity: capacity)
    forEachEntry { entry in
      let key = unsafe KeyID(word: entry.entry.pointee.key)
      unsafe larger.addEntry(key).entry.pointee = entry.entry.pointee
    }
    deallocate()
    return larger
  }

  /// Releases the slots and cells in the rows, and deallocates the rows.
  ///
  /// Unsafe because the rows, and references to their entries, must not be used afterwards.
  @unsafe fileprivate func destroy() {
    forEachEntry { unsafe $0.entry.pointee.clear() }
    deallocate()
  }
}

/// One row of a node's table. It has the slot that answers lookups of a key here, and the slot's
/// value if lookups may read it without evaluating a branch. Slot and cell are retained by hand, so
/// that a lookup counts no references.
private struct SlotEntry {
  var key: UInt = 0
  /// The value of ``cell`` if its type is a class; nil otherwise. This copy saves lookups one step,
  /// a quarter of the time of a `cold lookup`.
  private(set) var object: ObjectRef?
  private(set) var cell: CellRef?
  /// The slot's address. The lowest bit is free in an address, and is set if the slot is the node's
  /// own. With this bit a row has only four words, so that its size is a power of two.
  private var word: UInt = 0

  private var slot: Unmanaged<TableSlot>? {
    unsafe UnsafeRawPointer(bitPattern: word & ~1).map { unsafe .fromOpaque($0) }
  }

  /// A strong reference to the slot; nil in a free row.
  var strongSlot: TableSlot? { unsafe slot?.takeUnretainedValue() }

  /// Whether the slot is the node's own; otherwise it was pushed down from above.
  var isOwn: Bool { word & 1 != 0 }

  mutating func set(_ newSlot: TableSlot, _ newCell: Cell?, isOwn: Bool) {
    let old = unsafe slot
    let new = unsafe Unmanaged.passRetained(newSlot).toOpaque()
    word = UInt(bitPattern: new) | (isOwn ? 1 : 0)
    set(cell: newCell)
    unsafe old?.release()
  }

  /// Replaces the cell. The slot is not written, because the responder's deinit may be reading it.
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

/// A reference to a row of a node's table. It is valid until a key is added to the table or removed
/// from it.
@safe
struct EntryRef {
  fileprivate let entry: UnsafeMutablePointer<SlotEntry>

  fileprivate init(_ entry: UnsafeMutablePointer<SlotEntry>) { unsafe self.entry = entry }

  /// The cell of the slot's value; nil if there is no value, or if a branch must be evaluated
  /// first.
  @inline(__always)
  var cell: CellRef? { unsafe entry.pointee.cell }

  /// The value in ``cell`` if its type is a class; nil otherwise, and if ``cell`` is nil.
  @inline(__always)
  var object: ObjectRef? { unsafe entry.pointee.object }

  /// Whether the slot is the node's own; otherwise it was pushed down from above.
  var isOwn: Bool { unsafe entry.pointee.isOwn }

  /// The slot in this row. It answers lookups of its key at the node that has the table.
  var slot: TableSlot {
    guard let slot = unsafe entry.pointee.strongSlot else {
      preconditionFailure("an entry without a slot")
    }
    return slot
  }

  /// Replaces the cell, but not the slot.
  func set(cell: Cell?) { unsafe entry.pointee.set(cell: cell) }

  /// Replaces the slot and the cell.
  ///
  /// Unsafe because nothing checks that the slot is for the row's key. The caller must pass such a
  /// slot.
  @unsafe fileprivate func set(_ slot: TableSlot, _ cell: Cell?, isOwn: Bool) {
    unsafe entry.pointee.set(slot, cell, isOwn: isOwn)
  }
}

extension TableSlot {
  /// Returns the slot as an object of the given class, which must be the class of all slots in
  /// tables. Only a debug build checks the cast.
  @inline(__always)
  final func cast<Full: TableSlot>(to type: Full.Type) -> Full {
    unsafe unsafeDowncast(self, to: type)
  }
}

extension CoreRef {
  /// Returns the entry for a key; nil if there is none. Its slot is the node's own, or was pushed
  /// down from a node above.
  @inline(__always)
  func entry(_ id: KeyID) -> EntryRef? { with { $0.contents?.find(id) } }

  /// Returns the entry of the node's own slot for a key; nil if there is none.
  @inline(__always)
  func ownEntry(_ id: KeyID) -> EntryRef? { with { $0.ownEntry(id) } }
}

extension Core {
  /// Returns the entry of the node's own slot for a key; nil if there is none.
  @inline(__always)
  func ownEntry(_ id: KeyID) -> EntryRef? {
    guard flags & id.bit != 0, let entry = contents?.find(id), entry.isOwn else { return nil }
    return entry
  }
}
