import LineageFiles
import ResponderChain

/// One save. It writes the records of the whole tree, or only the changed records.
///
/// Until the save has ended, the engine keeps its records, and the marks keep the numbers of their
/// records. So a save that is refused loses nothing.
struct Save {
  let engine: Engine
  let encoder: StateEncoder
  let isFull: Bool
  /// The log of the new archive. Only a full save fills it.
  private let log: ArchiveLog
  private var used = UsedTable()
  /// The items that a save of changes has written.
  private var items: [SavedItem] = []
  /// The records that were not written, because they equal the records of the last archive. Each
  /// record is listed with its values that methods have used.
  private var unchanged: [(id: UInt32, used: UsedValues)] = []
  var queue = SaveQueue()
  var carried = CarriedRecords()
  var carries: [UInt32: Carry] = [:]
  private var nextID: UInt32
  /// The marks, with the numbers that their records get when the save ends. Until then, the marks
  /// keep the old numbers.
  var bindings: [(Mark, UInt32)] = []
  /// The carried records that were queued. They are remembered because a forged archive may list a
  /// record twice.
  var copied: Set<UInt32> = []
  /// The marks with changes that the save has written, and the two flags that each mark had before.
  private var written: [(mark: Mark, isChanged: Bool, isOwnedChanged: Bool)] = []
  /// The marks of the responders that had changed before the save.
  let changedBefore: [Mark]
  /// The marks of the objects of ``Restoration/add(_:as:under:)`` that had changed before the save.
  let changedObjectsBefore: [Mark]
  /// The responders and objects that could not be written completely.
  private var failed: [(mark: Mark, responder: Responder?)] = []
  /// The marks of responders with records that depend on other parts of the tree; see
  /// ``Mark/hasPaths``.
  private var referring: [Mark] = []
  /// The marks with records that depended on other parts of the tree in the last archive, but do
  /// not depend on them now.
  private var independent: [Mark] = []
  /// The number of the archive's chunks at which a full save is made instead of a save of changes.
  /// There is a limit because each save of changes copies the list of chunks.
  private static let chunkLimit = 4_096
  /// The first responder that was left out because it is too deep in the tree.
  var leftOut: Responder?

  init(_ engine: Engine, _ encoder: StateEncoder, isFull: Bool) {
    self.engine = engine
    self.encoder = encoder
    self.isFull = isFull
    engine.retryFailed()
    log = ArchiveLog(generation: isFull ? engine.nextGeneration : engine.log.generation)
    if !isFull { carried = engine.carried }
    carries = isFull ? [:] : engine.carries
    nextID = isFull ? 0 : UInt32(engine.log.records.count)
    changedBefore = engine.changed
    changedObjectsBefore = engine.changedObjects
    engine.changed = []
    engine.changedObjects = []
    engine.isSaving = true
  }

  /// Returns the number for a new record.
  mutating func newID() -> UInt32 {
    defer { nextID += 1 }
    return nextID
  }

  /// Notes that a record was written, and which of its values methods have used. If `place` is nil,
  /// the record's bytes have not changed and were not written again.
  mutating func note(record id: UInt32, at place: Range<Int>?, _ usedValues: UsedValues) {
    guard let place else { return unchanged.append((id, usedValues)) }
    guard isFull else {
      return items.append(SavedItem(id: id, part: .record(usedValues), place: place))
    }
    log.note(record: id, at: place)
    used[id] = usedValues
  }

  /// Notes that the list of a record's children was written. `id` is the number of that record, and
  /// `place` the range of the written bytes.
  mutating func note(childrenOf id: UInt32, at place: Range<Int>) {
    guard isFull else {
      return items.append(SavedItem(id: id, part: .children, place: place))
    }
    log.note(childrenOf: id, at: place)
  }

  /// Notes that a responder or object could not be written completely, so that the next save tries
  /// again.
  mutating func retry(_ mark: Mark, _ responder: Responder?) { failed.append((mark, responder)) }

  /// Notes whether a responder's record depends on other parts of the tree; see ``Mark/hasPaths``.
  mutating func notePaths(_ hasPaths: Bool, _ mark: Mark, _ responder: Responder) {
    // A save of changes keeps the flag, because the mark is in the engine's list already.
    if isFull, !hasPaths, mark.hasPaths {
      mark.hasPaths = false
      independent.append(mark)
    }
    guard hasPaths else { return }
    let isNew = mark.notePaths(in: responder) || !mark.isBound(to: engine)
    if isFull || isNew, !(mark is RootMark) { referring.append(mark) }
  }

  /// Notes that the changes of a responder or object were written. Later changes are written by the
  /// next save.
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

  /// Writes the changes of one responder: its record, the list of the records below it, and the new
  /// records below it.
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

  /// Writes all records in the queue, including records that are queued during the call.
  private mutating func writeQueue() {
    var next = 0
    // An archive with more than `byteLimit` bytes is refused, so its rest need not be encoded.
    while next < queue.items.count, encoder.record.items.values.bytes.count <= byteLimit {
      let item = queue.take(next)
      next += 1
      switch item.owner {
      case .none: continue
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
      // rarely, because it moves the other items.
      if next > 4096, next * 2 > queue.items.count {
        queue.items.removeFirst(next)
        next = 0
      }
    }
    queue.items = []
  }
}

extension Save {
  /// Ends the save. The engine then has the records of the new archive.
  ///
  /// - Returns: a sentence that says why the save is refused; nil if the save has succeeded. A
  ///   refused save changes nothing.
  mutating func finish() -> String? {
    engine.isSaving = false
    if isFull || !items.isEmpty { encoder.record.items.commit() }
    if let refusal = refusal() {
      for (mark, isChanged, isOwnedChanged) in written {
        mark.isChanged = mark.isChanged || isChanged
        mark.isOwnedChanged = mark.isOwnedChanged || isOwnedChanged
      }
      engine.noteAgain(changedBefore, objects: changedObjectsBefore)
      // The last archive stays, and its records may still have paths. So the flags that the save
      // has cleared are set again. The save may also have found new records with paths.
      for mark in independent { mark.hasPaths = true }
      let known = Set(engine.referring.map(ObjectIdentifier.init))
      engine.referring += referring.filter { !known.contains(ObjectIdentifier($0)) }
      return refusal
    }
    if let leftOut {
      engine.report.add(
        problem: "\(leftOut.debugLabel), and what else is deeper than \(engine.limits.depth), is "
          + "not archived.")
    }
    let returned = isFull ? replaceArchive() : appendChanges()
    for (mark, responder) in failed { engine.retry(mark, responder) }
    for owner in returned { engine.queue(owner) }
    return nil
  }

  /// Returns a sentence that says why the save is refused; nil if it is not refused. A save is
  /// refused if the archive would exceed a limit. A save of changes is also refused if more than
  /// half of the archive was appended by earlier saves, or if there were too many such saves.
  private func refusal() -> String? {
    let limits = engine.limits
    if !isFull, !items.isEmpty,
      engine.log.byteCount / 2 > engine.log.baseCount || engine.log.chunks.count >= Self.chunkLimit
    {
      return "More than half of the archive was appended."
    }
    let size = (isFull ? 0 : engine.log.byteCount) + encoder.record.items.values.bytes.count
    guard size <= byteLimit else {
      return "The archive would have \(size) bytes or more, and the limit is \(byteLimit)."
    }
    guard nextID <= limits.records else {
      return "The archive would have \(nextID) records, and the limit is \(limits.records)."
    }
    return nil
  }

  /// The greatest number of bytes of an archive.
  private var byteLimit: Int { min(engine.limits.archiveBytes, Int(UInt32.max)) }

  /// Replaces the engine's archive and records by the archive and records of a full save.
  ///
  /// - Returns: the waiting owners that had no record in the last archive.
  private func replaceArchive() -> [WaitingOwner] {
    log.append(
      encoder.record.items.values.bytes.bytes(from: 0), itemCount: encoder.record.items.index)
    engine.crashGuard.renumber(from: engine.log, to: log.generation) { [engine, bindings] id in
      bindings.first { $0.0.isBound(to: engine) && $0.0.record == id }?.1
    }
    let returned = engine.renumber(bindings)
    engine.referring = referring
    engine.replaceLog(with: log)
    engine.used = used
    engine.used.grow(to: log.records.count)
    engine.carried = carried
    engine.carries = carries
    return returned
  }

  /// Appends the records of a save of changes to the engine's archive.
  ///
  /// - Returns: the waiting owners that had no record in the last archive.
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
  /// The origin of a record that a save writes.
  enum Source {
    /// Nothing, because the item was taken from the queue.
    case none
    case responder(Responder, Mark)
    // Indirect, so that the other cases are copied quickly.
    indirect case object(any StateRestoring, AddedObject)
    /// A carried record of the last archive, given by its number in that archive.
    case carried(UInt32)
    /// A carried record of an earlier archive, given by its number in that archive.
    case left(UInt32, RecordNumbering)
  }

  /// A record that a save writes.
  struct Item {
    let owner: Source
    let role: RecordRole
    /// The number of the record in the new archive.
    let id: UInt32
    /// The number of records above this one.
    let depth: Int
  }

  var items: [Item] = []

  /// Takes an item out of the queue. An empty item stays in its place.
  mutating func take(_ index: Int) -> Item {
    var item = Item(owner: .none, role: .child, id: 0, depth: 0)
    swap(&item, &items[index])
    return item
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
