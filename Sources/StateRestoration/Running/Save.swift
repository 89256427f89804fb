import LineageFiles
import ResponderChain

/// One save. It writes the records of the whole tree as a new archive.
///
/// Until the save has ended, the engine keeps its records, and the marks keep the numbers of their
/// records. So a save that is refused loses nothing.
struct Save {
  let engine: Engine
  let encoder: StateEncoder
  /// Whether the methods of all responders and objects are called. Otherwise, the archived record
  /// of a responder or object that has not changed is copied.
  let asksAll: Bool
  /// The log of the new archive.
  private let log: ArchiveLog
  private var used = UsedTable()
  var queue = SaveQueue()
  var carried = CarriedRecords()
  var carries: [UInt32: Carry] = [:]
  private var nextID: UInt32 = 0
  /// The marks, with the numbers that their records get when the save ends. Until then, the marks
  /// keep the old numbers.
  var bindings: [(Mark, UInt32)] = []
  /// The carried records that were queued. They are remembered because a forged archive may list a
  /// record twice.
  var copied: Set<UInt32> = []
  /// The marks with changes that the save has written.
  private var written: [Mark] = []
  /// The marks of responders and objects that could not be written completely.
  private var failed: [Mark] = []
  /// The first responder that was left out because it is too deep in the tree.
  var leftOut: Responder?

  init(_ engine: Engine, _ encoder: StateEncoder, asksAll: Bool) {
    self.engine = engine
    self.encoder = encoder
    self.asksAll = asksAll
    log = ArchiveLog(generation: engine.nextGeneration)
    engine.isSaving = true
  }

  /// Returns the number for a new record.
  mutating func newID() -> UInt32 {
    defer { nextID += 1 }
    return nextID
  }

  /// Notes that a record was written, and which of its values methods have used.
  mutating func note(record id: UInt32, at place: Range<Int>, _ usedValues: UsedValues) {
    log.note(record: id, at: place)
    used[id] = usedValues
  }

  /// Notes that the list of a record's children was written. `id` is the number of that record, and
  /// `place` the range of the written bytes.
  func note(childrenOf id: UInt32, at place: Range<Int>) { log.note(childrenOf: id, at: place) }

  /// Notes that a responder or object could not be written completely, so that the next save tries
  /// again.
  mutating func retry(_ mark: Mark) { failed.append(mark) }

  /// Notes that the changes of a responder or object are being written. Later changes are written
  /// by the next save.
  mutating func noteWritten(_ mark: Mark) {
    guard mark.needsWriting || mark.hasPaths else { return }
    written.append(mark)
    mark.isChanged = false
    mark.needsRetry = false
  }

  /// Writes the records of the whole tree.
  mutating func writeTree(from application: Application) {
    guard let mark = application.mark else { return }
    let id = newID()
    bindings.append((mark, id))
    queue.items.append(
      SaveQueue.Item(
        owner: .responder(application, mark), role: .application, id: id, depth: 0))
    var next = 0
    // An archive with more than `byteLimit` bytes is refused, so its rest need not be encoded.
    while next < queue.items.count, encoder.record.items.values.bytes.count <= byteLimit {
      let item = queue.take(next)
      next += 1
      switch item.owner {
      case .none: continue
      case .responder(let responder, let mark):
        write(responder, mark, item.role, id: item.id)
      case .object(let object, let added):
        write(object, added, id: item.id)
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
  /// Ends the save. The engine then has the records of the new archive. If these equal the records
  /// of the last archive, and not all methods were called, the last archive stays.
  ///
  /// - Returns: a sentence that says why the save is refused; nil if the save has succeeded. A
  ///   refused save changes nothing.
  mutating func finish() -> String? {
    engine.isSaving = false
    encoder.record.items.commit()
    if let refusal = refusal() {
      for mark in written + failed { mark.needsRetry = true }
      return refusal
    }
    if let leftOut {
      engine.report.add(
        problem: "\(leftOut.debugLabel), and what else is deeper than \(engine.limits.depth), is "
          + "not archived.")
    }
    log.end(encoder.record.items.values.bytes.bytes(from: 0), itemCount: encoder.record.items.index)
    let isNew =
      asksAll || engine.log.generation < engine.storedGeneration || !log.equals(engine.log)
    if isNew {
      engine.crashGuard.renumber(from: engine.log, to: log.generation) { [engine, bindings] id in
        bindings.first { $0.0.isBound(to: engine) && $0.0.record == id }?.1
      }
    }
    let returned = engine.renumber(bindings)
    if isNew { engine.replaceLog(with: log) }
    used.grow(to: log.records.count)
    engine.used = used
    engine.carried = carried
    engine.carries = carries
    for mark in failed { mark.needsRetry = true }
    for owner in returned { engine.queue(owner) }
    return nil
  }

  /// Returns a sentence that says why the save is refused; nil if it is not refused. A save is
  /// refused if the archive would exceed a limit.
  private func refusal() -> String? {
    let size = encoder.record.items.values.bytes.count
    guard size <= byteLimit else {
      return "The archive would have \(size) bytes or more, and the limit is \(byteLimit)."
    }
    guard nextID <= engine.limits.records else {
      return "The archive would have \(nextID) records, and the limit is \(engine.limits.records)."
    }
    return nil
  }

  /// The greatest number of bytes of an archive.
  private var byteLimit: Int { min(engine.limits.archiveBytes, Int(UInt32.max)) }
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
