import LineageFiles

/// An archive with the positions of its records.
struct ArchiveLog {
  private(set) var chunks: [ArchiveChunk] = []
  private(set) var findings = ArchiveFindings()
  /// The number of items so far.
  private(set) var itemCount: UInt64 = 0
  /// The position of the newest item of each record, by the record's number.
  private(set) var records: [ItemPlace] = []
  /// The position of the newest list of the records below each record, by its number.
  private(set) var children: [ItemPlace] = []

  /// The number of bytes of all chunks.
  private(set) var byteCount = 0
  /// The number of bytes of the base, which the last full save has written.
  private(set) var baseCount = 0

  /// The position of an item's payload. A count of zero means that there is none.
  struct ItemPlace {
    var chunk: UInt32 = 0
    var start: UInt32 = 0
    var count: UInt32 = 0

    init() {}

    init(chunk: Int, _ range: Range<Int>) {
      self.chunk = UInt32(chunk)
      start = UInt32(range.lowerBound)
      count = UInt32(range.count)
    }

    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// The number of the full save that has written the base.
  var generation: UInt64 { findings.generation }

  var archive: StateArchive { StateArchive(chunks: chunks) }

  /// Returns the bytes of the chunk that has an item, and the range of the item's payload.
  func payload(_ place: ItemPlace) -> (bytes: [UInt8], range: Range<Int>) {
    (chunks[Int(place.chunk)].bytes, place.range)
  }

  /// Returns the reader of a record's payload; nil if there is no such record.
  func reader(of id: UInt32) -> ValueReader? {
    guard records.indices.contains(Int(id)), records[Int(id)].count > 0 else { return nil }
    let (bytes, range) = payload(records[Int(id)])
    return ValueReader(bytes, range)
  }

  /// Returns the numbers of the records below a record, in order.
  ///
  /// - Throws: ``StateError`` if the list is damaged.
  func childIDs(of id: UInt32) throws -> [UInt32] {
    guard children.indices.contains(Int(id)), children[Int(id)].count > 0 else { return [] }
    let (bytes, range) = payload(children[Int(id)])
    var reader = ValueReader(bytes, range)
    _ = try reader.varint()
    let count = try reader.length()
    var ids: [UInt32] = []
    ids.reserveCapacity(count)
    var last: Int64 = 0
    for _ in 0..<count {
      let (next, isOver) = last.addingReportingOverflow(try reader.zigzag())
      guard !isOver, let child = UInt32(exactly: next) else {
        throw StateError(.damaged("a record's number is out of range"))
      }
      ids.append(child)
      last = next
    }
    return ids
  }
}

extension ArchiveLog {
  /// Reads and checks an archive. No code of an app runs.
  ///
  /// If nothing of the archive can be used, the findings say why and there are no records.
  static func open(_ archive: StateArchive, limits: RestorationLimits) -> ArchiveLog {
    var log = ArchiveLog()
    log.chunks = archive.chunks
    do {
      try log.read(limits)
    } catch {
      log = ArchiveLog()
      log.findings.problem = error
    }
    return log
  }

  private mutating func read(_ limits: RestorationLimits) throws(ArchiveFindings.Problem) {
    let size = archive.count
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
    scan: for chunk in chunks.indices {
      let bytes = chunks[chunk].bytes
      var position = chunk == 0 ? ArchiveFormat.headerSize : 0
      while position < bytes.count {
        guard let item = Self.item(bytes, position) else { break scan }
        let checksum = ArchiveFormat.checksum(
          seed, index: itemCount, type: item.type, bytes.span.extracting(item.payload))
        let isIntact = checksum == item.checksum
        // A damaged item of the base is skipped. One of a later save ends the reading. It may be a
        // newer version of a record, and the older version must not pass for the newest.
        if !isIntact, hasBase { break scan }
        itemCount += 1
        position = item.payload.upperBound
        switch isIntact ? ArchiveFormat.ItemType(rawValue: item.type) : nil {
        case .commit:
          guard pending.isWhole(commit: ValueReader(bytes, item.payload)) else {
            break scan
          }
          try apply(pending, limits)
          findings.damaged += pending.damaged
          pending = PendingItems()
          usedItems = itemCount
          used = position + chunks[..<chunk].reduce(0) { $0 + $1.bytes.count }
          if !hasBase { baseCount = used }
          hasBase = true
        case let type?: pending.items.append((type, ItemPlace(chunk: chunk, item.payload)))
        case nil: pending.damaged += 1
        }
      }
    }
    guard hasBase else { throw .damaged("its base is not complete") }
    itemCount = usedItems
    findings.unusedBytes = size - used
    findings.records = records.reduce(0) { $0 + ($1.count > 0 ? 1 : 0) }
    cutUnused()
    byteCount = used
  }

  private mutating func readHeader() throws(ArchiveFindings.Problem) {
    let bytes = chunks[0].bytes
    let magic = ArchiveFormat.magic
    guard bytes.starts(with: magic.prefix(bytes.count)) else { throw .foreign }
    guard bytes.count > magic.count else { throw .damaged("it ends within its header") }
    let format = bytes[magic.count]
    guard format <= ArchiveFormat.major else { throw .newerFormat(Int(format)) }
    guard bytes.count >= ArchiveFormat.headerSize else {
      throw .damaged("it ends within its header")
    }
    var generation: UInt64 = 0
    for index in 0..<8 { generation |= UInt64(bytes[12 + index]) << UInt64(8 * index) }
    // A newer minor version is accepted, because it adds only what an older reader may ignore.
    var header = ArchiveFormat.header(generation: generation)
    header[magic.count] = format
    header[magic.count + 1] = bytes[magic.count + 1]
    var checksum = Checksum()
    checksum.feed(header.span.extracting(first: ArchiveFormat.headerSize - 4))
    var stored: UInt32 = 0
    for index in 0..<4 { stored |= UInt32(bytes[20 + index]) << UInt32(8 * index) }
    guard stored == checksum.value, bytes[10] == 0, bytes[11] == 0 else {
      throw .damaged("its header")
    }
    findings.generation = generation
  }

  /// Returns the item at a position; nil if the bytes end before it does.
  private static func item(
    _ bytes: [UInt8], _ position: Int
  ) -> (type: UInt8, checksum: UInt32, payload: Range<Int>)? {
    guard ArchiveFormat.itemHeaderSize <= bytes.count - position else { return nil }
    func word(_ place: Int) -> UInt32 {
      UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
        | UInt32(bytes[place + 3]) << 24
    }
    let start = position + ArchiveFormat.itemHeaderSize
    let count = Int(word(position))
    guard count <= bytes.count - start else { return nil }
    return (bytes[position + 4], word(position + 5), start..<start + count)
  }

  /// The items of a save whose commit has not been read yet.
  private struct PendingItems {
    var items: [(type: ArchiveFormat.ItemType, place: ItemPlace)] = []
    var damaged = 0

    /// Returns whether a commit says that its save has as many items as these.
    func isWhole(commit: ValueReader) -> Bool {
      var reader = commit
      return (try? reader.varint()) == UInt64(items.count + damaged)
    }
  }

  private mutating func apply(
    _ pending: PendingItems, _ limits: RestorationLimits
  ) throws(ArchiveFindings.Problem) {
    for (type, place) in pending.items {
      let (bytes, range) = payload(place)
      var reader = ValueReader(bytes, range)
      // A record has at most the next free number, unless a faulty program or an attacker wrote it.
      guard let number = try? reader.varint(), number < limits.records else {
        if records.count >= limits.records {
          throw .tooLarge("it has more than \(limits.records) records")
        }
        findings.damaged += 1
        continue
      }
      let id = Int(number)
      // Damaged records leave gaps in the numbers, at most one for each of them.
      guard id <= records.count + pending.damaged else {
        findings.damaged += 1
        continue
      }
      while records.count <= id {
        records.append(ItemPlace())
        children.append(ItemPlace())
      }
      switch type {
      case .record: records[id] = place
      case .children: children[id] = place
      case .commit: break
      }
    }
  }

  /// Removes the bytes that belong to no complete save, so that later saves can be appended.
  private mutating func cutUnused() {
    var unused = findings.unusedBytes
    while unused > 0, let last = chunks.last {
      if last.bytes.count <= unused {
        unused -= last.bytes.count
        chunks.removeLast()
      } else {
        chunks[chunks.count - 1] = ArchiveChunk(Array(last.bytes.dropLast(unused)))
        unused = 0
      }
    }
  }
}

extension ArchiveLog {
  /// Makes the log of a new base, which has no records yet.
  init(generation: UInt64) { findings.generation = generation }

  /// Notes that a record's newest item is in the chunk that is being written.
  mutating func note(record id: UInt32, at range: Range<Int>) {
    grow(to: id)
    records[Int(id)] = ItemPlace(chunk: chunks.count, range)
  }

  /// Notes that the newest list of the records below a record is in the chunk that is being
  /// written.
  mutating func note(childrenOf id: UInt32, at range: Range<Int>) {
    grow(to: id)
    children[Int(id)] = ItemPlace(chunk: chunks.count, range)
  }

  private mutating func grow(to id: UInt32) {
    while records.count <= Int(id) {
      records.append(ItemPlace())
      children.append(ItemPlace())
    }
  }

  /// Adds the chunk that a save has written.
  mutating func append(_ chunk: [UInt8], itemCount: UInt64) {
    chunks.append(ArchiveChunk(chunk))
    byteCount += chunk.count
    if chunks.count == 1 { baseCount = byteCount }
    self.itemCount = itemCount
    findings.records = records.count
  }
}
