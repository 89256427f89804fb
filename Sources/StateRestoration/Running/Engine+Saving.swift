import LineageFiles
import ResponderChain

/// The responders, objects and carried records that a save writes, level by level.
private struct SaveQueue {
  enum Source {
    case responder(Responder, Mark)
    case object(any StateRestoring, AddedObject)
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

extension Engine {
  /// Encodes the whole tree as a new archive.
  func saveAll() -> StateArchive {
    guard let application, !isRestoring else { return log.archive }
    bindRoot(application)
    let generation = log.generation + 1
    let size = log.archive.count
    let encoder = StateEncoder(
      ArchiveWriter(baseOf: generation, capacity: max(size + size / 8, 4096)), limits)
    var save = Save(self, encoder, ArchiveLog(generation: generation), isFull: true)
    save.writeTree(from: application)
    save.finish()
    return log.archive
  }

  /// Appends the records that have changed since the last save.
  func saveChanges() -> StateArchive {
    guard let application, log.itemCount > 0, !isRestoring else { return saveAll() }
    let marks = [application.mark].compactMap(\.self) + changed
    changed = []
    let encoder = StateEncoder(
      ArchiveWriter(appendingTo: log.generation, after: log.itemCount), limits)
    var save = Save(self, encoder, log, isFull: false)
    for mark in marks {
      guard let responder = mark.responder ?? (mark is RootMark ? application : nil),
        responder.mark === mark, mark.isBound(to: self)
      else {
        mark.isChanged = false
        mark.isOwnedChanged = false
        continue
      }
      guard isTakingPart(responder) else {
        // It may come back.
        changed.append(mark)
        continue
      }
      save.writeChanges(of: responder, mark)
    }
    for mark in changedObjects where mark.isBound(to: self) {
      save.writeObject(of: mark)
    }
    changedObjects = []
    save.finish()
    return log.archive
  }

  /// Gives the application its record.
  func bindRoot(_ application: Application) {
    self.application = application
    if (application.attachment as? RootMark)?.keeperOfTree !== self {
      application.attachment = RootMark(self)
    }
    guard let mark = application.mark, !mark.isBound(to: self) else { return }
    mark.bind(to: self, record: 0)
  }

  /// Returns whether a responder and all its ancestors have an identifier.
  private func isTakingPart(_ responder: Responder) -> Bool {
    var node = responder
    while let next = node.nextResponder {
      guard node.mark != nil else { return false }
      node = next
    }
    return node === application
  }
}

/// One save: a walk over the responders whose records are written, and the log of the new
/// archive.
private struct Save {
  let engine: Engine
  let encoder: StateEncoder
  var log: ArchiveLog
  let isFull: Bool
  var queue = SaveQueue()
  var states: [RecordState]
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
    states = isFull ? [] : engine.states
    used = isFull ? [] : engine.used
    carried = isFull ? [:] : engine.carried
    carries = isFull ? [:] : engine.carries
    nextID = isFull ? 0 : UInt32(engine.log.records.count)
  }

  private mutating func newID(_ state: RecordState) -> UInt32 {
    defer { nextID += 1 }
    states.append(state)
    used.append(0)
    return nextID
  }

  mutating func writeTree(from application: Application) {
    guard let mark = application.mark else { return }
    let id = newID(.live)
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
    writeChildren(of: .responder(responder, mark), id: mark.record, depth: 0)
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
      writeChildren(of: item.owner, id: item.id, depth: 0)
      // The queue would grow with the tree, but what was written is not needed any more.
      if next > 4096, next * 2 > queue.items.count {
        queue.items.removeFirst(next)
        next = 0
      }
    }
    queue.items = []
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

// The records.
extension Save {
  /// Writes a responder's record.
  private mutating func write(
    _ responder: Responder, _ mark: Mark, _ role: RecordRole, id: UInt32
  ) {
    let facts = engine.facts(of: responder)
    let kind = engine.kind(of: responder, mark)
    mark.kind = kind
    if mark.isKept { return keep(mark, responder, role, id: id) }
    if !facts.hasMethods, !mark.isChanged, mark.isBound(to: engine),
      let record = engine.log.reader(of: mark.record), copyUnchanged(record, responder, role, id)
    {
      return
    }
    let old = engine.values(of: mark)
    let oldUsed = mark.isBound(to: engine) ? engine.used(at: mark.record) : 0
    encoder.record.begin(id, engine.scope(of: responder))
    if let waiting = engine.waiting[mark.record], mark.isBound(to: engine) {
      encoder.record.protect(waiting.values, old)
    }
    do {
      if facts.hasMethods, let restoring = responder as? any StateRestoring {
        try encoder.encode(restoring)
      }
      encoder.record.endMethods()
      writeProperties(of: responder, facts, old, oldUsed)
      var header = RecordHeader()
      header.role = role
      header.identifier = mark.identifier
      header.kind = engine.kinds[kind]?.name ?? ""
      header.version = engine.kinds[kind]?.version ?? 1
      header.slots = engine.archivedSlots(of: responder)
      noteProblems(of: responder)
      log.note(record: id, at: try encoder.record.end(header))
      used[Int(id)] = encoder.record.usedBits
    } catch {
      encoder.record.abandon()
      engine.report.add(
        problem: "\(responder.restorationPath) was not encoded: \(error) Its last record is kept.")
      keep(mark, responder, role, id: id)
    }
  }

  /// Copies the record of a responder of which no property was set since, with its present slots.
  ///
  /// - Returns: false if the record cannot be read.
  private mutating func copyUnchanged(
    _ record: ValueReader, _ responder: Responder, _ role: RecordRole, _ id: UInt32
  ) -> Bool {
    guard let mark = responder.mark, let old = try? RecordHeader(record),
      old.kind == engine.kinds[mark.kind]?.name ?? "",
      old.version == engine.kinds[mark.kind]?.version ?? 1
    else { return false }
    let slots = engine.archivedSlots(of: responder)
    copyRecord(record, as: id) { header in
      header.role = role
      header.slots = slots
      header.carriedLaunches = 0
    }
    return true
  }

  /// Writes the properties, and the archived values that nothing has read, sorted by their keys.
  private func writeProperties(
    of responder: Responder, _ facts: Engine.ClassFacts, _ old: RecordValues?, _ oldUsed: UInt64
  ) {
    let properties = facts.properties
    var leftovers: [(name: String, entry: RecordValues.Entry)] = []
    if let old, encoder.record.hasRefused || !oldUsed.hasUsedAll(of: old.count) {
      try? old.forEach { entry in
        let isUsed = oldUsed.hasUsed(entry.index)
        if isUsed, !encoder.record.hasRefused { return }
        let name = old.key(entry)
        if isUsed, !encoder.record.isRefused(name) { return }
        if !properties.contains(where: { $0.name == name }) { leftovers.append((name, entry)) }
      }
      leftovers.sort { $0.name < $1.name }
    }
    var next = 0
    for property in properties {
      while next < leftovers.count, leftovers[next].name < property.name {
        if let old { encoder.record.copy(leftovers[next].entry, of: old) }
        next += 1
      }
      if let other = property.duplicate {
        encoder.record.problems.append(
          (
            property.name,
            StateError(.unstorable("\(property.owner) and \(other) both declare this key."))
          ))
      }
      do {
        try property.write(responder, old, to: encoder)
      } catch {
        encoder.record.problems.append(
          (property.name, error as? StateError ?? StateError(.unstorable("\(error)"))))
        if var values = old, let entry = try? property.key.find(in: &values) {
          encoder.record.copy(entry, of: values)
        }
      }
    }
    while next < leftovers.count {
      if let old { encoder.record.copy(leftovers[next].entry, of: old) }
      next += 1
    }
  }

  private func noteProblems(of responder: Responder) {
    for (key, error) in encoder.record.problems {
      engine.report.add(
        problem: "\(responder.restorationPath): the value \"\(key)\" was not kept: \(error)")
    }
  }

  /// Copies the last record, because the present state could not be encoded.
  private mutating func keep(
    _ mark: Mark, _ responder: Responder, _ role: RecordRole, id: UInt32
  ) {
    if mark.isBound(to: engine), let record = engine.log.reader(of: mark.record) {
      copyRecord(record, as: id) { _ in }
      used[Int(id)] = engine.used(at: mark.record)
      return
    }
    encoder.record.begin(id, engine.scope(of: responder))
    var header = RecordHeader()
    header.role = role
    header.identifier = mark.identifier
    header.kind = engine.kinds[mark.kind]?.name ?? ""
    header.version = engine.kinds[mark.kind]?.version ?? 1
    header.slots = engine.archivedSlots(of: responder)
    if let range = try? encoder.record.end(header) { log.note(record: id, at: range) }
  }

  /// Writes an added object's record.
  private mutating func write(_ object: any StateRestoring, _ added: AddedObject, id: UInt32) {
    guard let parent = added.parent else { return }
    let mark = added.mark
    encoder.record.begin(id, engine.scope(of: parent))
    do {
      try encoder.encode(object)
      encoder.record.endMethods()
      let oldUsed = mark.isBound(to: engine) ? engine.used(at: mark.record) : 0
      if let old = engine.values(of: mark) {
        try old.forEach { entry in
          if !oldUsed.hasUsed(entry.index) || encoder.record.isRefused(old.key(entry)) {
            encoder.record.copy(entry, of: old)
          }
        }
      }
      var header = RecordHeader()
      header.role = .object
      header.identifier = added.identifier
      log.note(record: id, at: try encoder.record.end(header))
      used[Int(id)] = encoder.record.usedBits
    } catch {
      encoder.record.abandon()
      engine.report.add(
        problem: "\(added.identifier) under \(parent.restorationPath) was not encoded: \(error) "
          + "Its last record is kept.")
      keep(mark, parent, .object, id: id)
    }
  }

  /// Writes a record that no responder has, as it is.
  private mutating func copy(_ old: UInt32, as id: UInt32) {
    guard let record = engine.log.reader(of: old) else { return }
    let carry = engine.carries[old]
    carries[id] = carry
    copyRecord(record, as: id) { header in
      header.carriedLaunches = carry?.launches ?? 0
      header.carriedSince = carry?.since ?? 0
      header.isExpiring = carry?.isExpiring ?? false
    }
  }

  /// Writes the values of a record as they are, with the header that the closure has changed.
  private mutating func copyRecord(
    _ record: ValueReader, as id: UInt32, _ change: (inout RecordHeader) -> Void
  ) {
    guard var header = try? RecordHeader(record), let values = try? RecordValues(record) else {
      return
    }
    change(&header)
    encoder.record.items.beginItem()
    encoder.record.items.values.bytes.append(varint: UInt64(id))
    values.copyAll(to: &encoder.record.items.values)
    header.write(to: &encoder.record.items.values, needs: header.needs)
    log.note(record: id, at: encoder.record.items.endItem(.record))
  }
}

// The lists of records below others.
extension Save {
  /// Writes the list of the records below a record, and queues those that must be written.
  private mutating func writeChildren(of owner: SaveQueue.Source, id: UInt32, depth: Int) {
    var ids: [UInt32] = []
    switch owner {
    case .object: return
    case .carried(let old):
      for child in (try? engine.log.childIDs(of: old)) ?? []
      where !copied.contains(child) && engine.isReadable(child) {
        let new = newID(.carried)
        ids.append(new)
        queue.items.append(SaveQueue.Item(owner: .carried(child), role: .child, id: new))
        copied.insert(child)
      }
      if !ids.isEmpty { carried[id] = ids }
    case .responder(let responder, let mark): ids = liveChildren(of: responder, mark, id: id)
    }
    guard !ids.isEmpty || !isFull else { return }
    log.note(childrenOf: id, at: encoder.record.items.writeChildren(ids, of: id))
  }

  private mutating func liveChildren(
    of responder: Responder, _ mark: Mark, id: UInt32
  ) -> [UInt32] {
    // Each record with the number that it had, if it had one.
    var live: [(id: UInt32, old: UInt32?)] = []
    var identifiers: Set<String> = []
    var skipped: [Responder] = []
    var twin: String?
    responder.forEachOwned { child, role in
      guard let childMark = child.mark else {
        if isFull { skipped.append(child) }
        return
      }
      if !identifiers.insert(childMark.identifier).inserted { twin = childMark.identifier }
      live.append(
        number(.responder(child, childMark), childMark, RecordRole(role)))
    }
    for added in engine.objects where added.parent === responder {
      guard let object = added.object else { continue }
      live.append(number(.object(object, added), added.mark, .object))
    }
    for child in skipped { noteSkipped(child) }
    if let twin, isFull {
      engine.report.note(
        "\(responder.restorationPath): several responders below it have the identifier \(twin). "
          + "They are told apart by their order.")
    }
    let oldID = mark.isBound(to: engine) ? mark.record : nil
    guard let oldID, let kept = engine.carried[oldID], !kept.isEmpty else { return live.map(\.id) }
    return merge(live, kept, oldID, id)
  }

  /// Returns the number of a record, and queues the record if it must be written.
  private mutating func number(
    _ owner: SaveQueue.Source, _ mark: Mark, _ role: RecordRole
  ) -> (id: UInt32, old: UInt32?) {
    let old = mark.isBound(to: engine) ? mark.record : nil
    if !isFull, let old { return (old, old) }
    let new = newID(.live)
    bindings.append((mark, new))
    queue.items.append(SaveQueue.Item(owner: owner, role: role, id: new))
    return (new, old)
  }

  /// Returns the records of responders with the carried ones, each behind the record that it was
  /// behind before.
  private mutating func merge(
    _ live: [(id: UInt32, old: UInt32?)], _ kept: [UInt32], _ oldID: UInt32, _ id: UInt32
  ) -> [UInt32] {
    let known = Set(live.compactMap(\.old))
    let carriedIDs = Set(kept)
    var followers: [UInt32?: [UInt32]] = [:]
    var anchor: UInt32?
    for child in (try? engine.log.childIDs(of: oldID)) ?? [] {
      if known.contains(child) {
        anchor = child
      } else if carriedIDs.contains(child) {
        followers[anchor, default: []].append(child)
      }
    }
    var ids: [UInt32] = []
    var stay: [UInt32] = []
    func add(_ old: UInt32?) -> [UInt32] { followers[old] ?? [] }
    for child in add(nil) {
      let new = carry(child)
      ids.append(new)
      stay.append(new)
    }
    for entry in live {
      ids.append(entry.id)
      guard let old = entry.old else { continue }
      for child in add(old) {
        let new = carry(child)
        ids.append(new)
        stay.append(new)
      }
    }
    carried[id] = stay
    return ids
  }

  /// Returns the number of a carried record in the new archive, and queues it if it must be
  /// written.
  private mutating func carry(_ old: UInt32) -> UInt32 {
    guard isFull else { return old }
    let new = newID(.carried)
    queue.items.append(SaveQueue.Item(owner: .carried(old), role: .child, id: new))
    return new
  }

  /// Notes the responders with an identifier below one that has none.
  private func noteSkipped(_ responder: Responder) {
    guard let found = responder.descendants.first(where: { $0.mark != nil }) else { return }
    engine.report.note(
      "\(found.debugLabel) is not archived, because \(responder.path) has no "
        + "restorationIdentifier.")
  }

  /// Ends the save, after which the engine's records are those of the new archive.
  mutating func finish() {
    guard isFull || !encoder.record.items.isEmpty else { return }
    encoder.record.items.commit()
    log.append(
      encoder.record.items.values.bytes.bytes(from: 0), itemCount: encoder.record.items.index)
    if isFull {
      engine.renumber(bindings)
      engine.numbering += 1
      engine.changed = []
    }
    for (mark, id) in bindings { mark.bind(to: engine, record: id) }
    engine.replaceLog(with: log)
    engine.states = states
    engine.used = used
    engine.carried = carried
    engine.carries = carries
  }
}
