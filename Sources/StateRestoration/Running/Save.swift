import LineageFiles
import ResponderChain

/// One save. It walks over the responders whose records must be written, and makes the log of the
/// new archive.
///
/// Until the save has ended, the engine has the records that it had before, and the marks have
/// their numbers. So a save that is refused loses nothing.
struct Save {
  let engine: Engine
  let encoder: StateEncoder
  let isFull: Bool
  /// The log of the new archive, if this is a full save.
  private var log: ArchiveLog
  private var used = UsedTable()
  /// The items of a save of changes.
  private var items: [SavedItem] = []
  /// The records whose bytes are those of the last archive, with the values that methods have
  /// written.
  private var unchanged: [(id: UInt32, used: UsedValues)] = []
  var queue = SaveQueue()
  var carried = CarriedRecords()
  var carries: [UInt32: Carry] = [:]
  private var nextID: UInt32
  /// The marks, with the numbers that their records get when the save has ended. The old numbers
  /// are needed until then.
  var bindings: [(Mark, UInt32)] = []
  /// The carried records that were queued. They are noted because a forged archive may list one
  /// twice.
  var copied: Set<UInt32> = []
  /// The marks whose changes the save has written, with what has changed.
  private var written: [(mark: Mark, isChanged: Bool, isOwnedChanged: Bool)] = []
  /// The marks of the responders that had changed before the save.
  let changedBefore: [Mark]
  /// The marks of the added objects that had changed before the save.
  let changedObjectsBefore: [Mark]
  /// The responders and objects of which something could not be written.
  private var failed: [(mark: Mark, responder: Responder?)] = []
  /// The marks of responders whose records depend on other responders; see ``Mark/hasPaths``.
  private var referring: [Mark] = []
  /// The number of chunks in the archive at which a save writes the whole tree instead. There is a
  /// limit because each save of changes copies the list of chunks.
  private static let chunkLimit = 4_096
  /// The first responder that was left out because it is too deep.
  var leftOut: Responder?

  init(_ engine: Engine, _ encoder: StateEncoder, isFull: Bool) {
    self.engine = engine
    self.encoder = encoder
    self.isFull = isFull
    log = ArchiveLog(generation: engine.log.generation + (isFull ? 1 : 0))
    if !isFull { carried = engine.carried }
    carries = isFull ? [:] : engine.carries
    nextID = isFull ? 0 : UInt32(engine.log.records.count)
    changedBefore = engine.changed
    changedObjectsBefore = engine.changedObjects
    engine.changed = []
    engine.changedObjects = []
    engine.isSaving = true
  }

  /// Returns the number of a new record.
  mutating func newID() -> UInt32 {
    defer { nextID += 1 }
    return nextID
  }

  /// Notes that a record was written, with the values that methods have written. Without a place,
  /// the record has the same bytes as before and needs no new ones.
  mutating func note(record id: UInt32, at place: Range<Int>?, _ usedValues: UsedValues) {
    guard let place else { return unchanged.append((id, usedValues)) }
    guard isFull else {
      return items.append(SavedItem(id: id, part: .record(usedValues), place: place))
    }
    log.note(record: id, at: place)
    used[id] = usedValues
  }

  /// Notes that the list of the records below a record was written.
  mutating func note(childrenOf id: UInt32, at place: Range<Int>) {
    guard isFull else {
      return items.append(SavedItem(id: id, part: .children, place: place))
    }
    log.note(childrenOf: id, at: place)
  }

  /// Notes that something of a responder or object could not be written, so that the next save
  /// tries it again.
  mutating func retry(_ mark: Mark, _ responder: Responder?) { failed.append((mark, responder)) }

  /// Notes whether a responder's record depends on other responders; see ``Mark/hasPaths``.
  mutating func notePaths(_ hasPaths: Bool, _ mark: Mark, _ responder: Responder) {
    // A save of changes keeps the flag, because the mark is in the engine's list already.
    if isFull, !hasPaths { mark.hasPaths = false }
    guard hasPaths else { return }
    let isNew = mark.notePaths(in: responder) || !mark.isBound(to: engine)
    if isFull || isNew, !(mark is RootMark) { referring.append(mark) }
  }

  /// Notes that the changes of a responder or object were written. Later changes are for the next
  /// save.
  private mutating func noteWritten(_ mark: Mark) {
    guard mark.isChanged || mark.isOwnedChanged else { return }
    written.append((mark, mark.isChanged, mark.isOwnedChanged))
    mark.isChanged = false
    mark.isOwnedChanged = false
  }

  /// Writes the records of the whole tree.
  mutating func writeTree(from application: Application) {
    guard let mark = application.mark else { return }
    let id = newID()
    bindings.append((mark, id))
    queue.items.append(
      SaveQueue.Item(
        owner: .responder(application, mark), role: .application, id: id, depth: 0))
    writeQueue()
  }

  /// Writes what has changed of one responder: its record, and the list of the records below it.
  /// Writes the new records below it, too.
  mutating func writeChanges(of responder: Responder, _ mark: Mark, depth: Int) {
    if mark.isChanged || engine.havePathsChanged && mark.hasPaths {
      let role = responder is Application ? .application : RecordRole(responder.parentRole)
      write(responder, mark, role, id: mark.record)
    }
    if mark.isOwnedChanged {
      writeChildren(
        of: SaveQueue.Item(
          owner: .responder(responder, mark), role: .child, id: mark.record, depth: depth))
    }
    noteWritten(mark)
    writeQueue()
  }

  /// Writes the records of added objects that have changed.
  mutating func writeObjects(of marks: [Mark]) {
    for mark in marks where mark.isBound(to: engine) {
      guard let added = engine.objects.find(mark), let object = added.object else { continue }
      write(object, added, id: mark.record)
      noteWritten(mark)
    }
  }

  /// Writes all records in the queue, and those that are queued meanwhile.
  private mutating func writeQueue() {
    var next = 0
    while next < queue.items.count {
      let item = queue.items[next]
      next += 1
      switch item.owner {
      case .responder(let responder, let mark):
        write(responder, mark, item.role, id: item.id)
        noteWritten(mark)
      case .object(let object, let added):
        write(object, added, id: item.id)
        noteWritten(added.mark)
        continue
      case .carried(let old): copy(old, as: item.id)
      case .left(let old, let numbering): copyLeft(old, of: numbering, as: item.id)
      }
      writeChildren(of: item)
      // Written items are removed, so that the queue does not grow with the tree. This is done
      // rarely, because it moves the rest.
      if next > 4096, next * 2 > queue.items.count {
        queue.items.removeFirst(next)
        next = 0
      }
    }
    queue.items = []
  }
}

extension Save {
  /// Ends the save, after which the engine's records are those of the new archive.
  ///
  /// - Returns: a sentence if the archive would be beyond a limit, or if more was appended already
  ///   than the last full save has written. Nothing is changed then.
  mutating func finish() -> String? {
    engine.isSaving = false
    if isFull || !items.isEmpty { encoder.record.items.commit() }
    if let refusal = refusal() {
      for (mark, isChanged, isOwnedChanged) in written {
        mark.isChanged = mark.isChanged || isChanged
        mark.isOwnedChanged = mark.isOwnedChanged || isOwnedChanged
      }
      engine.noteAgain(changedBefore, objects: changedObjectsBefore)
      return refusal
    }
    if let leftOut {
      engine.report.add(
        problem: "\(leftOut.debugLabel), and what else is deeper than \(engine.limits.depth), is "
          + "not archived.")
    }
    let returned = isFull ? replaceArchive() : appendChanges()
    for (mark, responder) in failed { engine.retry(mark, responder) }
    for owner in returned { engine.hear(owner) }
    return nil
  }

  /// Returns a sentence if the archive would be beyond a limit, or if more was appended already
  /// than the last full save has written; nil otherwise.
  private func refusal() -> String? {
    let limits = engine.limits
    if !isFull, !items.isEmpty,
      engine.log.byteCount / 2 > engine.log.baseCount || engine.log.chunks.count >= Self.chunkLimit
    {
      return "More than half of the archive was appended."
    }
    let size = (isFull ? 0 : engine.log.byteCount) + encoder.record.items.values.bytes.count
    let limit = min(limits.archiveBytes, Int(UInt32.max))
    guard size <= limit else {
      return "The archive would have \(size) bytes, and the limit is \(limit)."
    }
    guard nextID <= limits.records else {
      return "The archive would have \(nextID) records, and the limit is \(limits.records)."
    }
    return nil
  }

  /// Gives the engine the archive and the records of a full save.
  ///
  /// - Returns: the owners that still wait, and whose records were not in the last archive.
  private func replaceArchive() -> [WaitingOwner] {
    var newLog = log
    newLog.append(
      encoder.record.items.values.bytes.bytes(from: 0), itemCount: encoder.record.items.index)
    let returned = engine.renumber(bindings)
    engine.referring = referring
    engine.replaceLog(with: newLog)
    engine.used = used
    engine.used.grow(to: newLog.records.count)
    engine.carried = carried
    engine.carries = carries
    return returned
  }

  /// Gives the engine what a save of changes has written.
  ///
  /// - Returns: the owners that still wait, and whose records were not in the last archive.
  private func appendChanges() -> [WaitingOwner] {
    for (id, used) in unchanged { engine.used[id] = used }
    guard !items.isEmpty else { return [] }
    let returned = engine.bind(bindings)
    engine.referring += referring
    engine.append(
      items, encoder.record.items.values.bytes.bytes(from: 0),
      itemCount: encoder.record.items.index)
    engine.carried = carried
    engine.carries = carries
    return returned
  }
}

/// The responders, objects and carried records that a save writes, level by level.
struct SaveQueue {
  /// A source of a record that a save writes.
  enum Source {
    case responder(Responder, Mark)
    // Indirect, so that the other cases are copied quickly.
    indirect case object(any StateRestoring, AddedObject)
    /// A record of the last archive that no responder has.
    case carried(UInt32)
    /// A record of an earlier archive that no responder has.
    case left(UInt32, RecordNumbering)
  }

  /// A record that a save writes.
  struct Item {
    let owner: Source
    let role: RecordRole
    /// The number of the record in the new archive.
    let id: UInt32
    /// The number of records above.
    let depth: Int
  }

  var items: [Item] = []
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
