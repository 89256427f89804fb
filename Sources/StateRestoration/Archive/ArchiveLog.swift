import Foundation
import LineageFiles

/// An archive with the positions of its records.
final class ArchiveLog {
  // Exclusivity checking of the arrays is off for speed (`save` and `restore`). This is safe
  // because no access runs code of an app.
  @exclusivity(unchecked) @safe private(set) var bytes: [UInt8] = []
  private(set) var findings = ArchiveFindings()
  /// The number of items in the archive so far.
  private(set) var itemCount: UInt64 = 0
  /// The position of each record's newest version. The index is the record's number.
  @exclusivity(unchecked) @safe private(set) var records: [ItemPlace] = []
  /// The position of the newest list of the records below each record. The index is the number of
  /// the record above.
  @exclusivity(unchecked) @safe private(set) var children: [ItemPlace] = []

  /// The number of damaged items in the base, which is the first save in the archive. The checksum
  /// of such an item does not match.
  private(set) var changedItems = 0

  /// Makes the log of an archive that has no records yet.
  init(generation: UInt64) { findings.generation = generation }

  /// The position of an item's payload. A count of zero means that there is no item.
  struct ItemPlace {
    var start: UInt32 = 0
    var count: UInt32 = 0

    init() {}

    init(_ range: Range<Int>) {
      start = UInt32(range.lowerBound)
      count = UInt32(range.count)
    }

    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// The serial number of the archive. Each save makes an archive with a greater number.
  var generation: UInt64 { findings.generation }

  var archive: StateArchive { StateArchive(bytes) }

  /// Returns a reader of a record's payload; nil if there is no record with that number.
  func reader(of id: UInt32) -> ValueReader? {
    guard records.indices.contains(Int(id)), records[Int(id)].count > 0 else { return nil }
    return ValueReader(bytes, records[Int(id)].range)
  }

  /// Returns whether the archive has a list of the records below a record. The list may be damaged.
  func hasChildren(_ id: UInt32) -> Bool {
    children.indices.contains(Int(id)) && children[Int(id)].count > 0
  }

  /// Returns the numbers of the records directly below a record, in order.
  ///
  /// - Throws: ``StateError`` if the list is damaged.
  func childIDs(of id: UInt32) throws -> [UInt32] {
    guard hasChildren(id) else { return [] }
    var ids: [UInt32] = []
    // Each number takes a byte or more.
    ids.reserveCapacity(Int(children[Int(id)].count))
    try forEachChild(of: id) { ids.append($0) }
    return ids
  }

  /// Calls the closure with the number of each record directly below a record, in order.
  ///
  /// - Throws: ``StateError`` if the list is damaged. The closure may have been called before the
  ///   error.
  @inline(__always)
  func forEachChild(of id: UInt32, _ body: (UInt32) throws -> Void) throws {
    guard hasChildren(id) else { return }
    var reader = ValueReader(bytes, children[Int(id)].range)
    _ = try reader.varint()
    let count = try reader.length()
    var last: Int64 = 0
    for _ in 0..<count {
      let (next, isOver) = last.addingReportingOverflow(try reader.zigzag())
      guard !isOver, let child = UInt32(exactly: next) else {
        throw StateError(.damaged("a record's number is out of range"))
      }
      try body(child)
      last = next
    }
  }
}

extension ArchiveLog {
  /// Reads and checks an archive. No code of an app runs.
  ///
  /// If nothing of the archive can be used, the log has no records, and its findings give the
  /// reason. The closure is called with each save and each fault, in the order in which the scan
  /// finds them.
  static func open(
    _ archive: StateArchive, limits: RestorationLimits, noting note: (ScanNote) -> Void = { _ in }
  ) -> ArchiveLog {
    var log = ArchiveLog(generation: 0)
    log.bytes = archive.bytes
    do {
      try log.read(limits, note)
    } catch {
      log = ArchiveLog(generation: 0)
      log.findings.fault = error
    }
    return log
  }

  /// Returns the generation (serial number) of an archive, given the archive's first bytes. Only
  /// the header is read.
  ///
  /// - Throws: the problem if there are no bytes, or if they are not a header that can be read.
  static func generation(
    ofHeader bytes: [UInt8]
  ) throws(StateArchive.Fault) -> UInt64 {
    guard !bytes.isEmpty else { throw .empty }
    let log = ArchiveLog(generation: 0)
    log.bytes = bytes
    try log.readHeader()
    return log.generation
  }

  private func read(
    _ limits: RestorationLimits, _ note: (ScanNote) -> Void
  ) throws(StateArchive.Fault) {
    let size = bytes.count
    guard size > 0 else { throw .empty }
    guard size <= min(limits.archiveBytes, Int(UInt32.max)) else {
      throw .tooLarge("it has \(size) bytes, and the limit is \(limits.archiveBytes)")
    }
    try readHeader()
    let seed = ArchiveFormat.seed(generation: generation)
    var pending = PendingItems()
    var hasBase = false
    var used = 0
    var usedItems: UInt64 = 0
    var end: (position: Int, reason: ScanNote.EndReason)?
    var position = ArchiveFormat.headerSize
    scan: while position < size {
      guard let item = Self.item(bytes, position) else {
        end = (position, .cut)
        break scan
      }
      let whole = position..<item.payload.upperBound
      let checksum = ArchiveFormat.checksum(
        seed, index: itemCount, type: item.type, bytes.span.extracting(item.payload))
      let isIntact = checksum == item.checksum
      // A damaged item of the base is skipped. A damaged item of a later save ends the scan,
      // because that item may be the newer version of a record. Without that version, the
      // record's older version would be mixed with the other items of that save.
      if !isIntact, hasBase {
        end = (whole.lowerBound, .changed)
        break scan
      }
      if !isIntact { changedItems += 1 }
      itemCount += 1
      position = item.payload.upperBound
      switch isIntact ? ArchiveFormat.ItemType(rawValue: item.type) : nil {
      case .commit:
        guard pending.isWhole(commit: ValueReader(bytes, item.payload)) else {
          end = (whole.lowerBound, .miscounted)
          break scan
        }
        note(.save(commit: whole))
        try apply(pending, limits, note)
        findings.damaged += pending.damaged
        pending = PendingItems()
        usedItems = itemCount
        used = position
        hasBase = true
      case let type?:
        var reader = ValueReader(bytes, item.payload)
        // An item without a number counts as one with a number that is too large.
        let number = (try? reader.varint()) ?? .max
        pending.items.append(
          PendingItem(type: type, number: number, place: ItemPlace(item.payload)))
      case nil:
        note(isIntact ? .unknown(whole) : .changed(whole))
        pending.damaged += 1
      }
    }
    if end == nil, used < size { end = (max(used, ArchiveFormat.headerSize), .uncommitted) }
    if let end { note(.end(at: end.position, end.reason)) }
    guard hasBase else { throw .damaged("its base is not complete") }
    itemCount = usedItems
    findings.unusedBytes = size - used
    findings.records = records.reduce(0) { $0 + ($1.count > 0 ? 1 : 0) }
    bytes.removeLast(size - used)
  }

  private func readHeader() throws(StateArchive.Fault) {
    let magic = ArchiveFormat.magic
    guard bytes.starts(with: magic.prefix(bytes.count)) else { throw .foreign }
    guard bytes.count > magic.count else { throw .damaged("it ends within its header") }
    let format = bytes[magic.count]
    let isWhole = bytes.count >= ArchiveFormat.headerSize
    if format > ArchiveFormat.major {
      // A newer format may have another header, so a matching checksum is not required. If the
      // checksum matches as soon as the byte of the format is set to this format, only that byte is
      // damaged.
      guard isWhole, Self.isHeader(bytes, format: ArchiveFormat.major) else {
        throw .newerFormat(Int(format))
      }
      throw .damaged("its header")
    }
    guard isWhole else { throw .damaged("it ends within its header") }
    let generation: UInt64 = bytes.integer(at: 12)
    // A newer minor version is accepted, because an older reader may ignore its additions. No
    // program reaches a generation above `.max >> 1`. A forged archive could have the greatest
    // generation, which has no successor.
    guard Self.isHeader(bytes, format: format), bytes[10] == 0, bytes[11] == 0,
      generation < .max >> 1
    else { throw .damaged("its header") }
    findings.generation = generation
  }

  /// Returns whether bytes begin with a header that matches its checksum. The checksum is computed
  /// with the given value as the byte of the format.
  private static func isHeader(_ bytes: [UInt8], format: UInt8) -> Bool {
    var header = Array(bytes[..<(ArchiveFormat.headerSize - 4)])
    header[ArchiveFormat.magic.count] = format
    var checksum = Checksum()
    checksum.feed(header.span)
    return bytes.integer(at: header.count) == checksum.value
  }

  /// Returns the item at a position; nil if the bytes end within the item.
  private static func item(
    _ bytes: [UInt8], _ position: Int
  ) -> (type: UInt8, checksum: UInt32, payload: Range<Int>)? {
    guard ArchiveFormat.itemHeaderSize <= bytes.count - position else { return nil }
    let start = position + ArchiveFormat.itemHeaderSize
    let count = Int(bytes.integer(at: position) as UInt32)
    guard count <= bytes.count - start else { return nil }
    return (bytes[position + 4], bytes.integer(at: position + 5), start..<start + count)
  }

  /// An item of a save for which no commit was read yet.
  private struct PendingItem {
    let type: ArchiveFormat.ItemType
    /// The number of the item's record.
    let number: UInt64
    let place: ItemPlace
  }

  /// The items of a save for which no commit was read yet.
  private struct PendingItems {
    var items: [PendingItem] = []
    var damaged = 0

    /// Returns whether the number of items in the commit equals the number of items that were read.
    func isWhole(commit: ValueReader) -> Bool {
      var reader = commit
      return (try? reader.varint()) == UInt64(items.count + damaged)
    }
  }

  private func apply(
    _ pending: PendingItems, _ limits: RestorationLimits, _ note: (ScanNote) -> Void
  ) throws(StateArchive.Fault) {
    // The arrays are moved into local variables, so that accesses need no check for other
    // references.
    var (records, children) = (self.records, self.children)
    (self.records, self.children) = ([], [])
    defer { (self.records, self.children) = (records, children) }
    // Room is reserved only for a save with more items than there are records so far. Otherwise,
    // each of many small saves would copy the arrays.
    if pending.items.count > records.count {
      let room = min(records.count + pending.items.count, limits.records)
      records.reserveCapacity(room)
      children.reserveCapacity(room)
    }
    for item in pending.items {
      // A record's number is at most the next free one, unless a faulty program or an attacker
      // wrote it.
      guard item.number < limits.records else {
        if records.count >= limits.records {
          throw .tooLarge("it has more than \(limits.records) records")
        }
        note(.misnumbered(whole(item.place)))
        findings.damaged += 1
        continue
      }
      let id = Int(item.number)
      // Damaged records leave gaps in the numbers, at most one gap for each damaged record.
      guard id <= records.count + pending.damaged else {
        note(.misnumbered(whole(item.place)))
        findings.damaged += 1
        continue
      }
      while records.count <= id {
        records.append(ItemPlace())
        children.append(ItemPlace())
      }
      switch item.type {
      case .record: records[id] = item.place
      case .children: children[id] = item.place
      case .commit: break
      }
    }
  }

  /// Returns the range of an item, with the item's header, counted from the archive's first byte.
  private func whole(_ place: ItemPlace) -> Range<Int> {
    place.range.lowerBound - ArchiveFormat.itemHeaderSize..<place.range.upperBound
  }
}

extension ArchiveLog {
  /// Returns whether both archives have the same records in the same order.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  func equals(_ other: ArchiveLog) -> Bool {
    guard records.count == other.records.count, !other.bytes.isEmpty else { return false }
    let (all, others) = (records + children, other.records + other.children)
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe other.bytes.withUnsafeBytes { otherBytes in
        guard let start = bytes.baseAddress, let otherStart = otherBytes.baseAddress else {
          return false
        }
        for index in all.indices {
          let (one, other) = (all[index], others[index])
          // All places are within the bytes.
          guard one.count == other.count,
            unsafe memcmp(
              start + Int(one.start), otherStart + Int(other.start), Int(one.count)) == 0
          else { return false }
        }
        return true
      }
    }
  }

  /// Makes the log of an archive that cannot be used. The next save makes an archive with a
  /// generation (serial number) above the given one.
  convenience init(problem: StateArchive.Fault, generation: UInt64 = 0) {
    self.init(generation: generation)
    findings.fault = problem
  }

  /// Notes the position of a record in the bytes that are being written.
  func note(record id: UInt32, at range: Range<Int>) {
    grow(to: id)
    records[Int(id)] = ItemPlace(range)
  }

  /// Notes the position of the list of the records below a record, in the bytes that are being
  /// written.
  func note(childrenOf id: UInt32, at range: Range<Int>) {
    grow(to: id)
    children[Int(id)] = ItemPlace(range)
  }

  private func grow(to id: UInt32) {
    while records.count <= Int(id) {
      records.append(ItemPlace())
      children.append(ItemPlace())
    }
  }

  /// Notes the bytes that a save has written, of an archive with `itemCount` items.
  func end(_ bytes: [UInt8], itemCount: UInt64) {
    self.bytes = bytes
    self.itemCount = itemCount
    findings.records = records.count
  }

  /// Appends newer versions of some records. Their positions are given in the appended bytes. The
  /// archive then has `itemCount` items.
  func append(
    _ newer: [UInt8], itemCount: UInt64, _ places: [(id: UInt32, range: Range<Int>)]
  ) {
    let start = bytes.count
    for (id, range) in places {
      note(record: id, at: range.lowerBound + start..<range.upperBound + start)
    }
    end(bytes + newer, itemCount: itemCount)
  }
}
