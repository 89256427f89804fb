import LineageFiles
import ResponderChain

extension Save {
  /// The name and version of a kind, as they are written into a record; see
  /// ``RecordHeader/version``.
  private typealias Head = (name: String, version: Int)

  /// Writes a responder's record.
  mutating func write(_ responder: Responder, _ mark: Mark, _ item: SaveItem) {
    updateParts(of: responder, mark, item.record)
    let facts = session.kinds.facts(of: responder)
    let kind = session.kinds.kind(of: responder, mark)
    mark.setLookedUpKind(kind)
    if let name = mark.kindName, session.kinds.isNewUnknown(name) {
      session.report.add(
        problem: "\(responder.restorationPath): the restorationKind \"\(name)\" is not registered. "
          + "Only a launch that registers it can make the responder.")
    }
    let head = session.kinds.head(of: mark, kind)
    if copyUnchanged(mark, head, responder, item, hasMethods: facts.hasMethods) { return }
    write(facts.restoring?(responder), mark, head, responder, nil, item)
  }

  /// Gives a responder's record its present parts. Parts that wait stay.
  private mutating func updateParts(of responder: Responder, _ mark: Mark, _ record: Record) {
    // A new responder may have a kept branch since before it had an identifier.
    guard !session.parts.isEmpty, mark.isPartChanged || record.reader == nil && responder.hasSlots
    else { return }
    partsBefore.append((mark, record.parts))
    mark.isPartChanged = false
    var parts = record.parts.filter { $0.state != .present }
    var problem: String?
    for part in session.parts {
      do {
        guard let new = try part.part(of: responder) else { continue }
        guard new.bytes.count <= limits.editBytes else {
          throw StateError(.tooLarge(bytes: new.bytes.count, limit: limits.editBytes))
        }
        parts.append(new)
      } catch {
        // Neither some of the changes are archived, nor an older state of them.
        parts.append(ArchivedPart(name: part.name, needs: [], bytes: []))
        problem = "its changes of \(part.name) are not archived: \(error)"
      }
      parts[parts.count - 1].state = .present
    }
    if let problem, !record.hasPartProblem {
      session.report.add(problem: "\(responder.restorationPath): \(problem)")
    }
    record.hasPartProblem = problem != nil
    // The order says nothing of when the parts have changed. A launch applies the present ones first,
    // because of two edits of one property, the first stays.
    record.parts = parts.sorted {
      ($0.name, $0.state == .present ? 0 : 1) < ($1.name, $1.state == .present ? 0 : 1)
    }
  }

  /// Writes an added object's record.
  mutating func write(_ object: any StateRestoring, _ added: AddedObject, _ item: SaveItem) {
    guard let parent = added.parent else { return }
    if copyUnchanged(added.mark, ("", 1), parent, item, hasMethods: true) { return }
    write(object, added.mark, ("", 1), parent, added, item)
  }

  /// Copies the record of a responder or object that has not changed, or is not restored in this
  /// launch, with its present role and slots.
  ///
  /// - Returns: false if the record must be written anew.
  private mutating func copyUnchanged(
    _ mark: Mark, _ head: Head, _ responder: Responder, _ item: SaveItem, hasMethods: Bool
  ) -> Bool {
    let isUnchanged = !mark.needsWriting && !(asksAll && hasMethods)
    noteWritten(mark)
    if !mark.isKept {
      // A responder to which a value refers may have another id than at the last save.
      guard isUnchanged, let old = item.record.header, (old.kind, old.version) == head,
        !old.needs.contains("")
      else { return false }
    }
    keep(mark, head, responder, item)
    return true
  }

  /// Writes the present values. The object writes its own by its method, if it has one.
  private mutating func write(
    _ object: (any StateRestoring)?, _ mark: Mark, _ head: Head, _ responder: Responder,
    _ added: AddedObject?, _ item: SaveItem
  ) {
    var last = LastRecord(item.record)
    encoder.record.begin(below: item.parent, responder)
    do {
      if let object { try encode(object, item.record, &last) }
      last.writeProperties(of: mark, to: encoder)
      for (key, error) in encoder.record.problems {
        session.report.add(
          problem: "\(session.name(of: responder, added)): the value \"\(key)\" was not kept: "
            + "\(error)")
      }
      let range = try encoder.record.end(header(of: responder, mark, head, item))
      note(item, at: range, encoder.record.usedValues)
      if encoder.record.hasRefused { failed.append(mark) }
    } catch {
      encoder.record.abandon()
      failed.append(mark)
      session.report.add(
        problem: "\(session.name(of: responder, added)) was not encoded: \(error) Its last record "
          + "is kept.")
      keep(mark, head, responder, item)
    }
  }

  /// Calls the encoding method of a responder or object. The archived bytes of values that wait, or
  /// miss references, are kept if these have not changed.
  private func encode(
    _ object: any StateRestoring, _ record: Record, _ last: inout LastRecord
  ) throws {
    let waiting = session.waits.isEmpty ? [] : session.waits[record]?.values ?? []
    if !waiting.isEmpty || !record.kept.isEmpty {
      encoder.record.protect(waiting + record.kept, last.values)
    }
    try encoder.encode(object)
    encoder.record.endMethods()
    if !record.kept.isEmpty {
      record.kept.removeAll { encoder.record.hasChanged($0.key) }
    }
  }

  /// Writes a copy of the last record, with the present role and slots. If there is no last record,
  /// writes a record without values.
  private mutating func keep(
    _ mark: Mark, _ head: Head, _ responder: Responder, _ item: SaveItem
  ) {
    let present = header(of: responder, mark, head, item)
    if item.record.reader != nil {
      return copyRecord(item, item.record.used) { header in
        header.id = present.id
        if mark.isKept { return }
        // The kind and version stay, because the values were written with them.
        header.role = present.role
        header.identifier = present.identifier
        header.slots = present.slots
        header.parts = present.parts
        header.carry = nil
      }
    }
    encoder.record.begin(below: item.parent, responder)
    if let range = try? encoder.record.end(present) { note(item, at: range, UsedValues()) }
  }

  /// Returns the header of a record, with the present slots.
  private func header(
    of responder: Responder, _ mark: Mark, _ head: Head, _ item: SaveItem
  ) -> RecordHeader {
    var header = RecordHeader()
    header.role = item.role
    header.id = id(of: mark, responder, item)
    header.identifier = mark.identifier
    header.kind = head.name
    header.version = head.version
    if item.role != .object { header.slots = session.contexts.archivedSlots(of: responder) }
    header.parts = item.record.parts
    return header
  }

  /// Returns the id of a record. The responder is that of the record, or the one above its object.
  private func id(of mark: Mark, _ responder: Responder, _ item: SaveItem) -> RecordID {
    if item.record.id != .none { return item.record.id }
    return home.id(of: mark, below: item.role == .object ? responder : responder.nextResponder)
  }

  /// Copies a carried record. The header of the copy gets the facts in the record's ``Carry``.
  mutating func copyCarried(_ item: SaveItem) {
    let asksAll = asksAll
    copyRecord(item, UsedValues()) { header in
      var carry = item.record.carry ?? Carry(isLeftOut: header.carry?.isLeftOut == true)
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
