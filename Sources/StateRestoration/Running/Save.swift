import LineageFiles
import ResponderChain

/// One save: a walk over the responders whose records are written, and the log of the new
/// archive.
struct Save {
  let engine: Engine
  let encoder: StateEncoder
  var log: ArchiveLog
  let isFull: Bool
  var queue = SaveQueue()
  var used: [UInt64]
  var carried: [UInt32: [UInt32]] = [:]
  var carries: [UInt32: Carry] = [:]
  var nextID: UInt32
  /// The marks whose record gets a new number when the save is done, because the old one is needed
  /// until then.
  var bindings: [(Mark, UInt32)] = []
  /// The carried records that were queued. An enemy's archive may list one twice.
  var copied: Set<UInt32> = []

  init(_ engine: Engine, _ encoder: StateEncoder, _ log: ArchiveLog, isFull: Bool) {
    self.engine = engine
    self.encoder = encoder
    self.log = log
    self.isFull = isFull
    used = isFull ? [] : engine.used
    carried = isFull ? [:] : engine.carried
    carries = isFull ? [:] : engine.carries
    nextID = isFull ? 0 : UInt32(engine.log.records.count)
  }

  /// Returns the number of another record.
  mutating func newID() -> UInt32 {
    defer { nextID += 1 }
    used.append(0)
    return nextID
  }

  mutating func writeTree(from application: Application) {
    guard let mark = application.mark else { return }
    let id = newID()
    bindings.append((mark, id))
    queue.items.append(
      SaveQueue.Item(owner: .responder(application, mark), role: .application, id: id))
    writeQueue()
  }

  mutating func writeChanges(of responder: Responder, _ mark: Mark) {
    let role =
      responder is Application ? RecordRole.application : RecordRole(responder.parentRole)
    if mark.isChanged {
      write(responder, mark, role, id: mark.record)
      mark.isChanged = false
    }
    guard mark.isOwnedChanged else { return }
    mark.isOwnedChanged = false
    writeChildren(of: .responder(responder, mark), id: mark.record)
    writeQueue()
  }

  mutating func writeObject(of mark: Mark) {
    guard let added = engine.objects.first(where: { $0.mark === mark }), let object = added.object
    else { return }
    write(object, added, id: mark.record)
  }

  private mutating func writeQueue() {
    var next = 0
    while next < queue.items.count {
      let item = queue.items[next]
      next += 1
      switch item.owner {
      case .responder(let responder, let mark):
        write(responder, mark, item.role, id: item.id)
        mark.isChanged = false
        mark.isOwnedChanged = false
      case .object(let object, let added): write(object, added, id: item.id)
      case .carried(let old): copy(old, as: item.id)
      }
      if case .object = item.owner { continue }
      writeChildren(of: item.owner, id: item.id)
      // The queue would grow with the tree, but what was written is not needed any more.
      if next > 4096, next * 2 > queue.items.count {
        queue.items.removeFirst(next)
        next = 0
      }
    }
    queue.items = []
  }

  /// Ends the save, after which the engine's records are those of the new archive.
  mutating func finish() {
    guard isFull || !encoder.record.items.isEmpty else { return }
    encoder.record.items.commit()
    log.append(
      encoder.record.items.values.bytes.bytes(from: 0), itemCount: encoder.record.items.index)
    if isFull {
      engine.renumber(bindings)
      engine.beginNumbering()
      engine.changed = []
    }
    for (mark, id) in bindings { mark.bind(to: engine, record: id) }
    engine.replaceLog(with: log)
    engine.used = used
    engine.carried = carried
    engine.carries = carries
  }
}

/// The responders, objects and carried records that a save writes, level by level.
struct SaveQueue {
  enum Source {
    case responder(Responder, Mark)
    // Indirect, so that the other cases are copied quickly.
    indirect case object(any StateRestoring, AddedObject)
    /// A record of the last archive that no responder has.
    case carried(UInt32)
  }

  struct Item {
    let owner: Source
    let role: RecordRole
    /// The number of the record in the new archive.
    let id: UInt32
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
