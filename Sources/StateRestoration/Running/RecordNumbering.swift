import ResponderChain

/// The numbering of one archive's records.
///
/// The next archive gives the records other numbers, but the marks of responders outside the tree
/// keep the old numbers. So the numbering keeps the records of these marks. A numbering lives as
/// long as the record keeper or a mark uses it.
final class RecordNumbering: Numbering {
  /// The records that the next archive lacks, stored under their numbers in this archive. Empty
  /// until the keeper begins another numbering.
  var left: [UInt32: LeftRecord] = [:]
  /// The paths of the records in ``left``.
  var leftPaths = ArchivedPaths()
  /// The value of ``Engine/era`` when the numbering began.
  let era: Int

  init(era: Int) { self.era = era }
}

/// A record that the present archive lacks, because its responder was not in the tree when that
/// archive was made.
struct LeftRecord {
  /// The record's payload, which begins with its old number.
  let payload: [UInt8]
  var used = UsedValues()
  /// The waiting responder or object, if values of the record wait for a context.
  var waiting: WaitingOwner?
  /// The numbers, in the old archive, of the carried records below this record.
  var below: [UInt32] = []
  var carry: Carry?
  /// The reasons why references led to nothing, stored under the keys of the values.
  var missing: [String: [String]] = [:]

  /// The reader of the payload.
  var reader: ValueReader { ValueReader(payload, 0..<payload.count) }
}

/// A weak reference to a numbering.
struct WeakNumbering {
  private(set) weak var numbering: RecordNumbering?
}

/// The identifiers of some records of an archive and of the records above them, so that the records
/// at a path can be found.
struct ArchivedPaths {
  private var names: [UInt32: (identifier: String, parent: UInt32?)] = [:]

  init() {}

  /// Finds in a log the identifiers of the given records and of the records above them.
  ///
  /// - Complexity: O(*n*) for *n* records of the archive.
  init(of ids: some Sequence<UInt32>, in log: ArchiveLog) {
    var parents: [UInt32: UInt32] = [:]
    for parent in log.records.indices.map(UInt32.init) {
      for child in (try? log.childIDs(of: parent)) ?? [] { parents[child] = parent }
    }
    for id in ids {
      var next: UInt32? = id
      while let id = next, names[id] == nil {
        let header = log.reader(of: id).flatMap { try? RecordHeader($0) }
        next = parents[id]
        names[id] = (header?.identifier ?? "", next)
      }
    }
  }

  /// Returns the numbers of the records at a path and below it.
  ///
  /// - Complexity: O(*n*) for *n* records whose identifiers are known.
  func ids(at path: [String]) -> Set<UInt32> {
    // The number of identifiers that each record's path shares with the beginning of the given
    // path; nil if the record's path leads elsewhere. Forged lists may have circles, which lead
    // nowhere.
    var matched: [UInt32: Int?] = [0: 0]
    for id in names.keys {
      var walked: [UInt32] = []
      var next: UInt32? = id
      while let id = next, matched[id] == nil {
        matched[id] = .some(nil)
        walked.append(id)
        next = names[id]?.parent
      }
      var count = next.flatMap { matched[$0] ?? nil }
      for id in walked.reversed() {
        if let above = count, above < path.count {
          count = names[id]?.identifier == path[above] ? above + 1 : nil
        }
        matched[id] = .some(count)
      }
    }
    return Set(names.keys.filter { matched[$0] == .some(path.count) })
  }
}

extension Engine {
  /// Returns the reader of a mark's record, which may be a record of an earlier archive; nil if the
  /// mark has no record.
  func reader(of mark: Mark) -> ValueReader? {
    mark.isBound(to: self) ? log.reader(of: mark.record) : left(of: mark)?.reader
  }

  /// Returns a mark's record in an earlier archive; nil if there is none, or if all state was
  /// forgotten since.
  func left(of mark: Mark) -> LeftRecord? {
    guard mark.numbering !== numbering, let numbering = mark.numbering as? RecordNumbering,
      numbering.keeper === self, numbering.era == era
    else { return nil }
    return numbering.left[mark.record]
  }

  /// Returns which values of a mark's record were read or written by methods.
  func used(of mark: Mark) -> UsedValues {
    mark.isBound(to: self) ? used[mark.record] : left(of: mark)?.used ?? UsedValues()
  }

  /// Returns the responder or object of a mark if its values wait; nil otherwise.
  func waiting(of mark: Mark) -> WaitingOwner? {
    mark.isBound(to: self) ? waiting[mark.record] : left(of: mark)?.waiting
  }

  /// Notes that a late value of a mark's record was read.
  func noteUsed(_ index: Int, of mark: Mark) {
    if mark.isBound(to: self) {
      used[mark.record].insert(index)
    } else if let numbering = mark.numbering as? RecordNumbering {
      numbering.left[mark.record]?.used.insert(index)
    }
  }

  /// Notes that the values of a mark's record wait no more.
  func endWait(of mark: Mark) {
    if mark.isBound(to: self) {
      waiting.replace(mark.record, by: nil)
    } else if let numbering = mark.numbering as? RecordNumbering {
      numbering.left[mark.record]?.waiting = nil
    }
  }

  /// Gives the records of marks their numbers in a new archive. The caller must replace the log
  /// afterwards.
  ///
  /// - Returns: the waiting owners that had no record in the last archive.
  func renumber(_ bindings: [(Mark, UInt32)]) -> [WaitingOwner] {
    var numbers: [UInt32: UInt32] = [:]
    var isBound = [Bool](repeating: false, count: log.records.count)
    for (mark, id) in bindings where mark.isBound(to: self) {
      if !waiting.isEmpty || !missingReferences.isEmpty { numbers[mark.record] = id }
      if isBound.indices.contains(Int(mark.record)) { isBound[Int(mark.record)] = true }
    }
    let oldWaiting = waiting
    waiting = WaitingOwners()
    for owner in oldWaiting.all {
      guard let id = numbers[owner.record] else { continue }
      owner.record = id
      waiting.replace(id, by: owner)
    }
    var missing: [MissingKey: [String]] = [:]
    for (old, reasons) in missingReferences {
      if let id = numbers[old.record] { missing[MissingKey(record: id, key: old.key)] = reasons }
    }
    let oldMissing = missingReferences
    missingReferences = missing
    contexts.siblings = [:]
    var old = numbering as? RecordNumbering
    begin(RecordNumbering(era: era))
    let returned = bind(bindings, from: old)
    // Only marks of responders outside the tree still retain the old numbering.
    if old != nil, !isKnownUniquelyReferenced(&old) {
      old?.left = leftRecords(isBound, oldWaiting)
      numberings.removeAll { $0.numbering == nil }
      if let old, !old.left.isEmpty {
        old.leftPaths = ArchivedPaths(of: old.left.keys, in: log)
        numberings.append(WeakNumbering(numbering: old))
      }
      for (key, reasons) in oldMissing { old?.left[key.record]?.missing[key.key] = reasons }
    }
    return returned
  }

  /// Binds marks to their records in the present numbering. A mark that had the numbering `last`
  /// until now needs no search in earlier archives.
  ///
  /// - Returns: the waiting owners that had no record in the last archive.
  func bind(_ bindings: [(Mark, UInt32)], from last: Numbering? = nil) -> [WaitingOwner] {
    var returned: [WaitingOwner] = []
    for (mark, id) in bindings {
      if mark.numbering !== last, let left = left(of: mark) {
        for (key, reasons) in left.missing {
          missingReferences[MissingKey(record: id, key: key)] = reasons
        }
        if let owner = left.waiting {
          owner.record = id
          waiting.replace(id, by: owner)
          returned.append(owner)
        }
      }
      mark.bind(to: self, record: id)
    }
    return returned
  }

  /// Returns two kinds of records that the new archive lacks: those whose responders are outside
  /// the tree, and the carried records below such records. The keys are the numbers of these
  /// records in the old archive.
  private func leftRecords(
    _ isBound: [Bool], _ waiting: WaitingOwners
  ) -> [UInt32: LeftRecord] {
    var left: [UInt32: LeftRecord] = [:]
    let isCarried = carried.all
    var next = isBound.indices.compactMap { index -> UInt32? in
      let id = UInt32(index)
      return isBound[index] || isCarried.contains(id) ? nil : id
    }
    while let id = next.popLast() {
      guard left[id] == nil, !erased.contains(id), let record = log.reader(of: id) else {
        continue
      }
      var below = (try? log.childIDs(of: id)) ?? []
      if !isCarried.contains(id) {
        let kept = carried[id]
        below.removeAll { !kept.contains($0) }
      }
      left[id] = LeftRecord(
        payload: Array(record.bytes[record.position..<record.end]), used: used[id],
        waiting: waiting[id], below: below, carry: carries[id])
      next.append(contentsOf: below)
    }
    return left
  }
}
