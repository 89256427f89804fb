/// The records of an archive as a tree, which is read once, level by level.
struct RecordTree {
  /// The application's record. It has no bytes if it is damaged.
  let root: Record
  /// The sentences about damaged lists, and about records that no list names.
  private(set) var problems: [String] = []
  /// A flag for each record of the archive, which is true if the tree has the record. A forged
  /// archive may list a record twice, or a million times.
  private var isRead: [Bool]
  /// The number of damaged records that may still get a place in the tree. No save lists more
  /// damaged records than there are records and damaged items in the archive.
  private var room: Int

  /// Reads the tree of an archive that was checked already.
  ///
  /// - Complexity: O(*n*) for *n* records.
  init(_ log: ArchiveLog, _ home: RecordHome) {
    isRead = [Bool](repeating: false, count: max(log.records.count, 1))
    room = log.records.count + log.findings.damaged
    root = Self.record(0, log, home) ?? Record(home)
    isRead[0] = true
    var surplus = 0
    var level = [root]
    while !level.isEmpty {
      var next: [Record] = []
      for record in level where log.hasChildren(record.number) {
        record.below = below(record.number, log, home, &surplus)
        next += record.below.filter { $0.reader != nil }
      }
      level = next
    }
    if log.findings.damaged > 0 {
      let count = isRead.indices.count { !isRead[$0] && log.reader(of: UInt32($0)) != nil }
      if count > 0 {
        problems.append(
          "\(count) \(count == 1 ? "record is" : "records are") in no list of records. A "
            + "damaged list may have had \(count == 1 ? "it" : "them").")
      }
    }
    if surplus > 0 {
      problems.append(
        "The lists of records have \(surplus) more entries than the archive has records.")
    }
  }

  /// Returns the records directly below a record. A damaged record has no bytes.
  private mutating func below(
    _ number: UInt32, _ log: ArchiveLog, _ home: RecordHome, _ surplus: inout Int
  ) -> [Record] {
    var numbers: [UInt32] = []
    do {
      numbers = try log.childIDs(of: number)
    } catch {
      problems.append("The list of the records below a record is damaged: \(error)")
    }
    var below: [Record] = []
    below.reserveCapacity(numbers.count)
    for number in numbers {
      if isRead.indices.contains(Int(number)), !isRead[Int(number)],
        let record = Self.record(number, log, home)
      {
        isRead[Int(number)] = true
        below.append(record)
      } else if room > 0 {
        room -= 1
        below.append(Record(home))
      } else {
        surplus += 1
      }
    }
    return below
  }

  /// Returns a record of the archive; nil if it is missing, or has the number of another record.
  private static func record(
    _ number: UInt32, _ log: ArchiveLog, _ home: RecordHome
  ) -> Record? {
    guard var reader = log.reader(of: number), (try? reader.varint()) == UInt64(number) else {
      return nil
    }
    return Record(home, log.bytes, log.records[Int(number)].range, number: number)
  }
}
