import LineageFiles
import ResponderChain

extension Save {
  /// Writes a responder's record.
  mutating func write(
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
      noteProblems(of: responder)
      log.note(record: id, at: try encoder.record.end(header(of: responder, mark, role)))
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
      old.version == engine.version(of: mark)
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
      copyRecord(record, as: id) { $0.carriedLaunches = 0 }
      used[Int(id)] = engine.used(at: mark.record)
      return
    }
    encoder.record.begin(id, engine.scope(of: responder))
    let header = header(of: responder, mark, role)
    if let range = try? encoder.record.end(header) { log.note(record: id, at: range) }
  }

  /// Returns a header with the parts that all records have.
  private func header(_ role: RecordRole, _ identifier: String) -> RecordHeader {
    var header = RecordHeader()
    header.role = role
    header.identifier = identifier
    return header
  }

  /// Returns the header of a responder's record, with its present kind and slots.
  private func header(
    of responder: Responder, _ mark: Mark, _ role: RecordRole
  ) -> RecordHeader {
    var header = header(role, mark.identifier)
    header.kind = engine.kinds[mark.kind]?.name ?? ""
    header.version = engine.version(of: mark)
    header.slots = role == .object ? [] : engine.archivedSlots(of: responder)
    return header
  }

  /// Writes an added object's record.
  mutating func write(_ object: any StateRestoring, _ added: AddedObject, id: UInt32) {
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
      log.note(record: id, at: try encoder.record.end(header(.object, added.identifier)))
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
  mutating func copy(_ old: UInt32, as id: UInt32) {
    guard let record = engine.log.reader(of: old) else { return }
    var carry = engine.carries[old]
    carry?.isChanged = false
    carries[id] = carry
    copyRecord(record, as: id) { header in
      header.carriedLaunches = carry?.launches ?? 0
      header.carriedSince = carry?.since ?? 0
      header.isExpiring = carry?.isExpiring ?? false
      header.isDisplaced = carry?.isDisplaced ?? false
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
