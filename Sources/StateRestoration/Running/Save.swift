import LineageFiles
import ResponderChain

/// One save. It writes the records of the whole tree as a new archive.
///
/// Until the save has ended, all records keep their places in the last archive. So a save that is
/// refused loses nothing.
struct Save {
  let session: Session
  private let ledger: Ledger
  let home: RecordHome
  let encoder: StateEncoder
  /// Whether the methods of all responders and objects are called. Otherwise, the archived record
  /// of a responder or object that has not changed is copied.
  let asksAll: Bool
  private let generation: UInt64
  /// The items that are still to be written, level by level.
  var queue: [SaveItem] = []
  /// The written records, with their places in the new archive.
  private var written: [WrittenRecord] = []
  /// Whether all records so far are those of the last archive.
  private var isSame: Bool
  /// The new lists of the records below some records.
  var lists: [(record: Record, parent: Responder?, below: [Record])] = []
  /// The marks with changes that the save has written.
  private var rewritten: [Mark] = []
  /// The marks of responders and objects that could not be written completely.
  var failed: [Mark] = []
  /// The marks with new parts, and the parts that their records had before.
  var partsBefore: [(mark: Mark, parts: [ArchivedPart])] = []
  /// The first responder that was left out because it is too deep in the tree.
  var leftOut: Responder?

  init(_ session: Session, _ ledger: Ledger, _ home: RecordHome, asksAll: Bool) {
    self.session = session
    self.ledger = ledger
    self.home = home
    self.asksAll = asksAll
    generation = ledger.nextGeneration
    let size = ledger.tree.archive.count
    isSame = !asksAll && generation == ledger.tree.generation + 1
    encoder = StateEncoder(
      ArchiveWriter(generation: generation, capacity: max(size + size / 8, 4096)),
      session.settings.limits, session.contexts)
  }

  /// Notes that a record was written, and which of its values were used.
  mutating func note(_ item: SaveItem, at range: Range<Int>, _ used: UsedValues) {
    written.append(WrittenRecord(record: item.record, range: range, used: used))
    if isSame {
      isSame = encoder.record.items.isSame(range, in: ledger.tree.archive.bytes)
    }
  }

  /// Notes that changes are being written. Later changes are written by the next save.
  mutating func noteWritten(_ mark: Mark) {
    guard mark.needsWriting else { return }
    rewritten.append(mark)
    mark.isChanged = false
    mark.needsRetry = false
  }

  /// Writes the records of the whole tree.
  mutating func writeTree(from application: Application) {
    guard let mark = application.mark else { return }
    queue = [
      SaveItem(
        source: .responder(application, mark), record: home.record(of: mark), role: .application,
        parent: 0, depth: 0)
    ]
    var next = 0
    // An archive with more than `byteLimit` bytes is refused, so its rest need not be encoded.
    while next < queue.count, encoder.record.items.values.bytes.count <= byteLimit {
      let item = queue[next]
      next += 1
      let index = encoder.record.items.count
      switch item.source {
      case .responder(let responder, let mark):
        write(responder, mark, item)
      case .object(let object, let added):
        write(object, added, item)
        continue
      case .carried: copyCarried(item)
      }
      if encoder.record.items.count > index { enqueueChildren(of: item, at: UInt32(index)) }
      // Written items are removed, but rarely, because this moves the other items.
      if next > 4096, next * 2 > queue.count {
        queue.removeFirst(next)
        next = 0
      }
    }
    queue = []
  }
}

extension Save {
  /// Ends the save. The records then have their places in the new archive. If these have not
  /// changed, and not all methods were called, the last archive stays.
  ///
  /// - Returns: a sentence that says why the save is refused; nil if it has succeeded. After a refused
  ///   save, all is as before.
  mutating func finish() -> String? {
    if let refusal = refusal() {
      for mark in rewritten + failed { mark.needsRetry = true }
      for (mark, parts) in partsBefore {
        mark.isPartChanged = true
        mark.record?.parts = parts
      }
      return refusal
    }
    if let leftOut {
      session.report.add(
        problem: "\(leftOut.debugLabel), and what else is deeper than \(limits.depth), is not "
          + "archived.")
    }
    let bytes = encoder.record.items.finish()
    if !isSame || bytes.count != ledger.tree.archive.count {
      ledger.tree = ArchivedTree(bytes, generation: generation)
      if ledger.storedGeneration != nil { ledger.storedGeneration = generation }
    }
    ledger.saveCount &+= 1
    // Equal archives have their records at the same positions.
    for one in written {
      one.record.move(to: ledger.tree.archive.bytes, one.range, save: ledger.saveCount)
      one.record.used = one.used
    }
    noteLeft()
    home.forgetLast()
    for mark in failed { mark.needsRetry = true }
    return nil
  }

  /// Gives records their new lists, and notes which records of responders outside the tree the new
  /// archive lacks.
  private func noteLeft() {
    let save = ledger.saveCount
    ledger.left.removeAll { $0.record?.save ?? save == save }
    for (record, parent, below) in lists {
      for old in record.below where old.state == .live && old.save != save {
        let path = parent?.chain.compactMap { $0.mark?.identifier }.dropLast() ?? []
        ledger.left.append(LeftRecord(record: old, path: path.reversed()))
      }
      record.below = below
    }
  }

  /// Returns a sentence that says which limit the archive would exceed; nil if none.
  private func refusal() -> String? {
    let size = encoder.record.items.values.bytes.count
    guard size <= byteLimit else {
      return "The archive would have \(size) bytes or more, and the limit is \(byteLimit)."
    }
    let count = encoder.record.items.count
    guard count <= limits.records else {
      return "The archive would have \(count) records, and the limit is \(limits.records)."
    }
    return nil
  }

  var limits: RestorationLimits { encoder.record.limits }

  /// The greatest number of bytes of an archive.
  private var byteLimit: Int { min(limits.archiveBytes, Int(UInt32.max)) }
}

/// A record that a save has written, with its place in the new archive.
private struct WrittenRecord {
  let record: Record
  let range: Range<Int>
  let used: UsedValues
}

/// A record that a save writes.
struct SaveItem {
  /// The origin of a record.
  enum Source {
    case responder(Responder, Mark)
    // Indirect, so that the other cases are copied quickly.
    indirect case object(any StateRestoring, AddedObject)
    /// No responder or object has the record, because it is carried.
    case carried
  }

  let source: Source
  let record: Record
  let role: RecordRole
  /// The index, in the new archive, of the record above.
  let parent: UInt32
  /// The number of records above this one.
  let depth: Int
}

extension SaveItem {
  /// Makes the item of a carried record.
  init(carried record: Record, below parent: UInt32, _ depth: Int) {
    self.init(source: .carried, record: record, role: .child, parent: parent, depth: depth)
  }
}

extension RecordRole {
  init(_ role: Responder.Role) {
    self =
      switch role {
      case .child: .child
      case .rootView: .rootView
      case .presented: .presented
      }
  }
}
