import LineageFiles

/// The records of an archive as a tree. It is read once and checked; no code of an app runs.
package struct ArchivedTree: Sendable {
  /// The archive, up to its end. It has no bytes if nothing of it can be used.
  package let archive: StateArchive
  package private(set) var findings = ArchiveFindings()
  /// The records, in the order of the levels of the tree. The first one is the application's.
  private(set) var items: [Item] = []
  /// The position at which the reading of the bytes has stopped.
  private(set) var end = 0

  /// One record of the archive, which may be damaged.
  struct Item {
    fileprivate let start: UInt32
    fileprivate let count: UInt32
    /// The index of the record above. For the first record, it is zero. For a damaged record, it is
    /// a guess.
    fileprivate(set) var parent: UInt32
    /// Whether the bytes do not match their checksum.
    let isDamaged: Bool

    /// The range of the payload.
    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    /// The range of the whole item.
    var whole: Range<Int> { Int(start) - ArchiveFormat.itemHeaderSize..<range.upperBound }
  }

  /// Makes the tree of an archive that has no records yet, cannot be used, or was just written. In the
  /// last case, its records are known elsewhere.
  init(_ bytes: [UInt8] = [], generation: UInt64, fault: StateArchive.Fault? = nil) {
    archive = StateArchive(bytes)
    (findings.generation, findings.fault) = (generation, fault)
  }

  /// Reads and checks an archive. If nothing of it can be used, the tree has no records, and its
  /// findings tell the fault.
  init(_ archive: StateArchive, _ limits: RestorationLimits) {
    var reading = ArchiveReading(archive.bytes)
    do throws(StateArchive.Fault) {
      try reading.read(limits)
      self.archive =
        reading.end == archive.count ? archive : StateArchive(Array(archive.bytes[..<reading.end]))
      items = reading.items
      findings.generation = reading.generation
      findings.damaged = items.count { $0.isDamaged }
      findings.records = items.count - findings.damaged
      findings.unusedBytes = archive.count - reading.end
    } catch {
      self.archive = StateArchive([])
      findings.fault = error
    }
    end = reading.end
  }

  /// The serial number of the archive. Each save makes an archive with a greater number.
  var generation: UInt64 { findings.generation }

  /// Whether at least one record does not match its checksum.
  var isDamaged: Bool { findings.damaged > 0 }

  /// Returns a reader of a record's payload; nil if the record is damaged.
  func reader(_ index: Int) -> ValueReader? {
    items[index].isDamaged ? nil : ValueReader(archive.bytes, items[index].range)
  }

  /// Returns the header of a record; nil if the record is damaged.
  func header(_ index: Int) -> RecordHeader? { reader(index).flatMap { try? RecordHeader($0) } }

  /// Calls the closure with the index of each record that has records below it, and the range of
  /// these.
  func forEachFamily(_ body: (_ parent: Int, _ below: Range<Int>) -> Void) {
    var start = 1
    while start < items.count {
      let parent = items[start].parent
      var end = start + 1
      while end < items.count, items[end].parent == parent { end += 1 }
      body(Int(parent), start..<end)
      start = end
    }
  }

  /// The number of records that a launch can reach from the application. No record below a damaged
  /// one is reached, except those below the application's.
  var reachableCount: Int {
    var isReached = [Bool](repeating: true, count: items.count)
    for (index, item) in items.enumerated() {
      isReached[index] = !item.isDamaged && (item.parent == 0 || isReached[Int(item.parent)])
    }
    return isReached.count { $0 }
  }
}

/// One reading of an archive's bytes.
private struct ArchiveReading {
  let bytes: [UInt8]
  var generation: UInt64 = 0
  var items: [ArchivedTree.Item] = []
  var end = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read(_ limits: RestorationLimits) throws(StateArchive.Fault) {
    guard bytes.count <= min(limits.archiveBytes, Int(UInt32.max)) else {
      throw .tooLarge("it has \(bytes.count) bytes, and the limit is \(limits.archiveBytes)")
    }
    generation = try ArchiveFormat.generation(ofHeader: bytes)
    let seed = ArchiveFormat.seed(generation: generation)
    end = ArchiveFormat.headerSize
    // The parent of the last record that is not damaged.
    var last: UInt32 = 0
    while true {
      let start = end + ArchiveFormat.itemHeaderSize
      guard start <= bytes.count else { throw .damaged("it has no end") }
      let count: UInt32 = bytes.integer(at: end)
      let parent: UInt32 = bytes.integer(at: end + 4)
      guard Int(count) <= bytes.count - start else {
        throw .damaged("a record is longer than the rest of its bytes")
      }
      let payload = start..<start + Int(count)
      let checksum = ArchiveFormat.checksum(
        seed, index: items.count, parent: parent, bytes.span.extracting(payload))
      let isIntact = checksum == bytes.integer(at: end + 8) as UInt32
      end = payload.upperBound
      if isIntact, count == 0, parent == ArchiveFormat.endParent { return place() }
      guard items.count < limits.records else {
        throw .tooLarge("it has more than \(limits.records) records")
      }
      // Only a faulty program or an attacker has written a record at another place.
      let isPlaced = parent >= last && parent < max(items.count, 1)
      items.append(
        ArchivedTree.Item(
          start: UInt32(start), count: count, parent: isPlaced ? parent : last,
          isDamaged: !isIntact || !isPlaced))
      if isIntact, isPlaced { last = parent }
    }
  }

  /// Gives damaged records parents that fit to those of the records after them.
  private mutating func place() {
    var next = UInt32.max
    for index in items.indices.reversed() {
      if items[index].isDamaged { items[index].parent = min(items[index].parent, next) }
      next = items[index].parent
    }
  }
}
