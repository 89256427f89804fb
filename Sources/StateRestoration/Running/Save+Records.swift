import LineageFiles
import ResponderChain

extension Save {
  /// Writes a responder's record.
  mutating func write(
    _ responder: Responder, _ mark: Mark, _ item: SaveItem
  ) {
    let facts = session.kinds.facts(of: responder)
    let kind = kind(of: responder, mark)
    let mayCopy = !mark.needsWriting && !mark.hasPaths && !(asksAll && facts.hasMethods)
    noteWritten(mark)
    if mark.isKept { return keep(mark, kind, responder, item) }
    if mayCopy, copyUnchanged(kind, responder, mark, item) { return }
    var last = LastRecord(item.record)
    encoder.record.begin(below: item.parent, responder)
    do {
      if let restoring = facts.restoring {
        try encode(restoring(responder), mark, item.record, last.values)
      }
      last.writeProperties(of: mark, to: encoder)
      noteProblems(of: responder)
      let header = header(of: responder, mark, kind, item.role)
      note(item, at: try encoder.record.end(header), encoder.record.usedValues)
      if encoder.record.hasRefused { retry(mark) }
      mark.hasPaths = encoder.record.items.values.hasPaths
    } catch {
      encoder.record.abandon()
      retry(mark)
      session.report.add(
        problem: "\(responder.restorationPath) was not encoded: \(error) Its last record is kept.")
      keep(mark, kind, responder, item)
    }
  }

  /// Returns the index of a responder's kind, plus one; zero if there is none.
  private func kind(of responder: Responder, _ mark: Mark) -> UInt16 {
    let kind = session.kinds.kind(of: responder, mark)
    mark.setLookedUpKind(kind)
    if let name = mark.kindName, session.kinds.isNewUnknown(name) {
      session.report.add(
        problem: "\(responder.restorationPath): the restorationKind \"\(name)\" is not registered. "
          + "Only a launch that registers it can make the responder.")
    }
    return kind
  }

  /// Calls the encoding method of a responder or object. The archived bytes of values that wait, and
  /// of values with missing references, are kept if these values have not changed.
  private func encode(
    _ object: any StateRestoring, _ mark: Mark, _ record: Record, _ last: RecordValues?
  ) throws {
    let waiting = session.waits.isEmpty ? [] : session.waits[record]?.values ?? []
    if !waiting.isEmpty || !record.kept.isEmpty {
      encoder.record.protect(waiting + record.kept, last)
    }
    try encoder.encode(object)
    encoder.record.endMethods()
    if !record.kept.isEmpty {
      record.kept.removeAll { encoder.record.hasChanged($0.key) }
    }
  }

  /// Copies the record of a responder that has not changed, with the responder's present role and
  /// slots.
  ///
  /// - Returns: false if the record cannot be read, or has another kind or version.
  private mutating func copyUnchanged(
    _ kind: UInt16, _ responder: Responder, _ mark: Mark, _ item: SaveItem
  ) -> Bool {
    guard let old = item.record.header,
      (old.kind, old.version) == session.kinds.head(of: mark, kind)
    else { return false }
    let slots = session.contexts.archivedSlots(of: responder)
    copyRecord(item, item.record.used) { header in
      header = RecordHeader(
        role: item.role, identifier: mark.identifier, kind: header.kind, version: header.version,
        needs: header.needs, slots: slots)
    }
    return true
  }

  /// Reports the values of a responder that could not be written.
  private func noteProblems(of responder: Responder) {
    for (key, error) in encoder.record.problems {
      session.report.add(
        problem: "\(responder.restorationPath): the value \"\(key)\" was not kept: \(error)")
    }
  }

  /// Writes a copy of the last record instead of the present state. If there is no last record,
  /// writes a record without values.
  private mutating func keep(
    _ mark: Mark, _ kind: UInt16, _ responder: Responder, _ item: SaveItem
  ) {
    let present = header(of: responder, mark, kind, item.role)
    if item.record.reader != nil {
      // The header keeps the kind and version, because the values were written with them.
      return copyRecord(item, item.record.used) { header in
        if mark.isKept { return }
        header = RecordHeader(
          role: present.role, identifier: present.identifier, kind: header.kind,
          version: header.version, needs: header.needs, slots: present.slots)
      }
    }
    encoder.record.begin(below: item.parent, responder)
    if let range = try? encoder.record.end(present) { note(item, at: range, UsedValues()) }
  }

  /// Returns the header of a responder's record, with its present kind and slots.
  private func header(
    of responder: Responder, _ mark: Mark, _ kind: UInt16, _ role: RecordRole
  ) -> RecordHeader {
    let (kind, version) = session.kinds.head(of: mark, kind)
    return RecordHeader(
      role: role, identifier: mark.identifier, kind: kind, version: version,
      slots: role == .object ? [] : session.contexts.archivedSlots(of: responder))
  }

  /// Writes an added object's record.
  mutating func write(
    _ object: any StateRestoring, _ added: AddedObject, _ item: SaveItem
  ) {
    guard let parent = added.parent else { return }
    let mark = added.mark
    let mayCopy =
      !mark.needsWriting && !mark.hasPaths && !asksAll && item.record.reader != nil
    noteWritten(mark)
    if mayCopy { return keep(mark, 0, parent, item) }
    encoder.record.begin(below: item.parent, parent)
    do {
      try encode(object, mark, item.record, item.record.values)
      if let old = item.record.values {
        try old.forEach { entry in
          if !item.record.used.contains(entry.index) || encoder.record.isRefused(old.key(entry)) {
            encoder.record.copy(entry, of: old)
          }
        }
      }
      for (key, error) in encoder.record.problems {
        session.report.add(
          problem: "\(added.identifier) under \(parent.restorationPath): the value \"\(key)\" "
            + "was not kept: \(error)")
      }
      let range = try encoder.record.end(
        RecordHeader(role: .object, identifier: added.identifier))
      note(item, at: range, encoder.record.usedValues)
      if encoder.record.hasRefused { retry(mark) }
      mark.hasPaths = encoder.record.items.values.hasPaths
    } catch {
      encoder.record.abandon()
      retry(mark)
      session.report.add(
        problem: "\(added.identifier) under \(parent.restorationPath) was not encoded: \(error) "
          + "Its last record is kept.")
      keep(mark, 0, parent, item)
    }
  }

  /// Copies a carried record. The header of the copy gets the facts in the record's ``Carry``.
  mutating func copyCarried(_ item: SaveItem) {
    let asksAll = asksAll
    copyRecord(item, UsedValues()) { header in
      var carry = item.record.carry ?? Carry(leftOutOrdinal: header.carry?.leftOutOrdinal)
      // A launch counts only if all of its state is saved at least once. A displaced record always
      // has a count.
      if !asksAll, !carry.isDisplaced {
        let archived = header.carry ?? Carry()
        (carry.launches, carry.since) = (archived.launches, archived.since)
        carry.isExpiring = archived.isExpiring
      }
      header.carry = carry
    }
  }

  /// Copies a record with another header: the closure changes the header before it is written.
  ///
  /// Damaged values are copied as they are.
  private mutating func copyRecord(
    _ item: SaveItem, _ used: UsedValues, _ change: (inout RecordHeader) -> Void
  ) {
    guard let record = item.record.reader else { return }
    encoder.record.items.beginRecord(below: item.parent)
    if var header = try? RecordHeader(record) {
      change(&header)
      RecordValues.copyAll(of: record, to: &encoder.record.items.values)
      header.write(to: &encoder.record.items.values, needs: header.needs)
    } else {
      let bytes = record.bytes.span.extracting(record.position..<record.end)
      encoder.record.items.values.bytes.append(bytes)
    }
    note(item, at: encoder.record.items.endRecord(), used)
  }
}
