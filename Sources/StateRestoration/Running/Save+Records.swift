import LineageFiles
import ResponderChain

extension Save {
  /// Writes a responder's record.
  mutating func write(
    _ responder: Responder, _ mark: Mark, _ role: RecordRole, id: UInt32
  ) {
    let facts = engine.facts(of: responder)
    let kind = engine.kind(of: responder, mark)
    mark.find(kind, by: engine)
    if mark.isKept { return keep(mark, kind, responder, role, id: id) }
    if !facts.hasMethods, !mark.isChanged, !mark.hasPaths, mark.isBound(to: engine),
      let record = engine.log.reader(of: mark.record),
      copyUnchanged(record, kind, responder, role, id)
    {
      return
    }
    let old = engine.values(of: mark)
    let oldUsed = engine.used(of: mark)
    encoder.record.begin(id, responder, engine.contexts)
    if let waiting = engine.waiting(of: mark) {
      encoder.record.protect(waiting.values, old)
    }
    do {
      if let restoring = facts.restoring {
        try encoder.encode(restoring(responder), at: responder)
      }
      encoder.record.endMethods()
      writeProperties(of: mark, old, oldUsed)
      noteProblems(of: responder)
      let header = header(of: responder, mark, kind, role)
      let place = try encoder.record.end(header, unless: isFull ? nil : lastRecord(of: mark, id))
      note(record: id, at: place, encoder.record.usedValues)
      if encoder.record.hasRefused { retry(mark, responder) }
      // Whether a value was handed down depends on the responders above.
      let mayBeHanded = role != .application && header.slots.contains(where: \.isValue)
      notePaths(encoder.record.items.values.hasPaths || mayBeHanded, mark, responder)
    } catch {
      encoder.record.abandon()
      retry(mark, responder)
      engine.report.add(
        problem: "\(responder.restorationPath) was not encoded: \(error) Its last record is kept.")
      keep(mark, kind, responder, role, id: id)
    }
  }

  /// Returns the mark's record in the present archive, if it has a certain number; nil otherwise.
  private func lastRecord(of mark: Mark, _ id: UInt32) -> ValueReader? {
    mark.isBound(to: engine) && mark.record == id ? engine.log.reader(of: id) : nil
  }

  /// Copies the record of a responder that has not changed. The copy has the present role and
  /// slots.
  ///
  /// - Returns: false if the record cannot be read, or has another kind or version.
  private mutating func copyUnchanged(
    _ record: ValueReader, _ kind: UInt16, _ responder: Responder, _ role: RecordRole,
    _ id: UInt32
  ) -> Bool {
    guard let mark = responder.mark, let old = try? RecordHeader(record),
      (old.kind, old.version) == engine.head(of: mark, kind)
    else { return false }
    let slots = engine.archivedSlots(of: responder)
    copyRecord(record, as: id, UsedValues()) { header in
      header.role = role
      header.slots = slots
      header.carriedLaunches = 0
    }
    return true
  }

  /// Writes the properties, and the archived values that nothing has read, sorted by their keys.
  private func writeProperties(of mark: Mark, _ old: RecordValues?, _ oldUsed: UsedValues) {
    guard !mark.properties.isEmpty || old != nil else { return }
    mark.properties.sort()
    var rest = unread(old, oldUsed, mark.properties)[...]
    var cursor = old?.first
    var last: PropertyCell?
    for property in mark.properties {
      while let old, let next = rest.first, property.key.isAfter(old.keyBytes(next)) {
        encoder.record.copy(next, of: old)
        rest.removeFirst()
      }
      if let last, last.key == property.key, let one = last.owner, let other = property.owner {
        encoder.record.problems.append(
          (
            property.key.name,
            StateError(
              .unstorable(
                one == other
                  ? "\(one) declares this key twice."
                  : "\(one) and \(other) both declare this key."))
          ))
        continue
      }
      last = property
      write(property, of: mark, old, &cursor)
    }
    for next in rest { if let old { encoder.record.copy(next, of: old) } }
  }

  /// Returns the archived values that are kept although no property has them, sorted by their keys.
  /// A value is kept if no method has used it, or if its new value was refused.
  private func unread(
    _ old: RecordValues?, _ oldUsed: UsedValues, _ properties: PropertyList
  ) -> [RecordValues.Entry] {
    guard let old, encoder.record.hasRefused || !oldUsed.containsAll(first: old.count) else {
      return []
    }
    var unread: [RecordValues.Entry] = []
    // Properties are usually those of the archive, and in the same order.
    var following = properties
    try? old.forEach { entry in
      if oldUsed.contains(entry.index) {
        guard encoder.record.hasRefused, encoder.record.isRefused(old.key(entry)) else { return }
      }
      func isEntry(_ property: PropertyCell) -> Bool {
        property.key.withBytes { old.hasKey(entry, $0) }
      }
      var next = following
      if let property = next.next(), isEntry(property) { return following = next }
      if !properties.contains(where: isEntry) { unread.append(entry) }
    }
    if unread.count > 1 {
      unread.sort { old.keyBytes($0).lexicographicallyPrecedes(old.keyBytes($1)) }
    }
    return unread
  }

  /// Writes a property, or the archived bytes that it has not read.
  private func write(
    _ property: PropertyCell, of mark: Mark, _ old: RecordValues?,
    _ cursor: inout RecordValues.Cursor?
  ) {
    if property.phase == .absent { return }
    if property.phase != .settled, mark.isDecoded, copy(property, of: old, &cursor) { return }
    do {
      try property.key.withBytes { try encoder.record.write($0, property.write) }
    } catch {
      encoder.record.problems.append(
        (property.key.name, error as? StateError ?? StateError(.unstorable("\(error)"))))
    }
    if encoder.record.hasRefused, encoder.record.isRefused(property.key.name) {
      _ = copy(property, of: old, &cursor)
    }
  }

  /// Copies the archived bytes of a property.
  ///
  /// - Returns: false if there are none.
  private func copy(
    _ property: PropertyCell, of old: RecordValues?, _ cursor: inout RecordValues.Cursor?
  ) -> Bool {
    guard let old, var next = cursor,
      let entry = try? property.key.withBytes({ try old.find($0, from: &next) })
    else { return false }
    cursor = next
    encoder.record.copy(entry, of: old)
    return true
  }

  /// Reports the values that were not kept.
  private func noteProblems(of responder: Responder) {
    for (key, error) in encoder.record.problems {
      engine.report.add(
        problem: "\(responder.restorationPath): the value \"\(key)\" was not kept: \(error)")
    }
  }

  /// Copies the last record instead of encoding the present state. If there is no last record,
  /// writes one without values.
  private mutating func keep(
    _ mark: Mark, _ kind: UInt16, _ responder: Responder, _ role: RecordRole, id: UInt32
  ) {
    let present = header(of: responder, mark, kind, role)
    if let record = engine.reader(of: mark) {
      let last = isFull ? nil : lastRecord(of: mark, id)
      // The header keeps the kind and version, because the values were written with them.
      return copyRecord(record, as: id, engine.used(of: mark), unless: last) { header in
        if mark.isKept { return }
        header.carriedLaunches = 0
        header.role = present.role
        header.identifier = present.identifier
        header.slots = present.slots
      }
    }
    encoder.record.begin(id, responder, engine.contexts)
    if let place = try? encoder.record.end(present) { note(record: id, at: place, UsedValues()) }
  }

  /// Returns the header of a responder's record, with its present kind and slots.
  private func header(
    of responder: Responder, _ mark: Mark, _ kind: UInt16, _ role: RecordRole
  ) -> RecordHeader {
    let (kind, version) = engine.head(of: mark, kind)
    return RecordHeader(
      role: role, identifier: mark.identifier, kind: kind, version: version,
      slots: role == .object ? [] : engine.archivedSlots(of: responder))
  }

  /// Writes an added object's record.
  mutating func write(_ object: any StateRestoring, _ added: AddedObject, id: UInt32) {
    guard let parent = added.parent else { return }
    let mark = added.mark
    encoder.record.begin(id, parent, engine.contexts)
    do {
      try encoder.encode(object, at: parent)
      encoder.record.endMethods()
      let oldUsed = engine.used(of: mark)
      if let old = engine.values(of: mark) {
        try old.forEach { entry in
          if !oldUsed.contains(entry.index) || encoder.record.isRefused(old.key(entry)) {
            encoder.record.copy(entry, of: old)
          }
        }
      }
      for (key, error) in encoder.record.problems {
        engine.report.add(
          problem: "\(added.identifier) under \(parent.restorationPath): the value \"\(key)\" "
            + "was not kept: \(error)")
      }
      let place = try encoder.record.end(
        RecordHeader(role: .object, identifier: added.identifier),
        unless: isFull ? nil : lastRecord(of: mark, id))
      note(record: id, at: place, encoder.record.usedValues)
      if encoder.record.hasRefused { retry(mark, nil) }
    } catch {
      encoder.record.abandon()
      retry(mark, nil)
      engine.report.add(
        problem: "\(added.identifier) under \(parent.restorationPath) was not encoded: \(error) "
          + "Its last record is kept.")
      keep(mark, 0, parent, .object, id: id)
    }
  }

  /// Writes a carried record as it is.
  mutating func copy(_ old: UInt32, as id: UInt32) {
    guard let record = engine.log.reader(of: old) else { return }
    copy(record, engine.carries[old], as: id)
  }

  /// Writes a record of an earlier archive that no responder has, as it is.
  mutating func copyLeft(_ old: UInt32, of numbering: RecordNumbering, as id: UInt32) {
    guard let left = numbering.left[old] else { return }
    copy(left.reader, left.carry, as: id)
  }

  private mutating func copy(_ record: ValueReader, _ carry: Carry?, as id: UInt32) {
    var carry = carry
    carry?.isChanged = false
    carries[id] = carry
    copyRecord(record, as: id, UsedValues()) { header in
      header.carriedLaunches = carry?.launches ?? 0
      header.carriedSince = carry?.since ?? 0
      header.isExpiring = carry?.isExpiring ?? false
      header.isDisplaced = carry?.isDisplaced ?? false
    }
  }

  /// Writes the values of a record as they are, with the header as the closure changes it. If the
  /// result equals the last record, nothing is written.
  private mutating func copyRecord(
    _ record: ValueReader, as id: UInt32, _ used: UsedValues, unless last: ValueReader? = nil,
    _ change: (inout RecordHeader) -> Void
  ) {
    guard var header = try? RecordHeader(record), let values = try? RecordValues(record) else {
      return
    }
    change(&header)
    encoder.record.items.beginItem()
    encoder.record.items.values.bytes.append(varint: UInt64(id))
    values.copyAll(to: &encoder.record.items.values)
    header.write(to: &encoder.record.items.values, needs: header.needs)
    if let last, encoder.record.items.payload(equals: last) {
      return encoder.record.items.abandonItem()
    }
    note(record: id, at: encoder.record.items.endItem(.record), used)
  }
}
