import ResponderChain

extension Engine {
  /// Adds an object that is not a responder, and decodes its record if there is one.
  func add(_ object: any StateRestoring, _ identifier: String, under parent: Responder) {
    objects.removeAll { $0.object == nil || $0.object === object }
    let added = AddedObject(
      object: object, identifier: identifier, parent: parent, mark: Mark(identifier))
    objects.append(added)
    guard let mark = parent.mark else { return }
    mark.ownedDidChange(of: parent)
    guard mark.isBound(to: self), mark.isDecoded, let id = carriedRecord(identifier, below: mark),
      let record = log.reader(of: id), let header = try? RecordHeader(record),
      header.role == .object
    else { return }
    uncarry(id, below: mark)
    added.mark.bind(to: self, record: id)
    let index = report.add(identifier, kind: "", parent: nil)
    decode(
      object, id, version: header.version, needs: header.needs, at: parent, index)
    if waiting[id] == nil { (object as? any RestorationFinishing)?.didFinishRestoring() }
  }

  /// Returns the object that was added under a responder.
  func object(_ identifier: String, under parent: Responder) -> AddedObject? {
    objects.first {
      $0.identifier == identifier && $0.parent === parent && $0.object != nil
    }
  }

  /// Notes that an added object has changed.
  func noteChange(of object: any StateRestoring) {
    guard let added = objects.first(where: { $0.object === object }), let parent = added.parent
    else { return }
    // Without a record it is written with the list of the records below its parent's.
    guard added.mark.isBound(to: self) else {
      parent.mark?.ownedDidChange(of: parent)
      return
    }
    guard !added.mark.isChanged else { return }
    added.mark.isChanged = true
    changedObjects.append(added.mark)
  }

  /// Returns the first carried record with an identifier below a responder's.
  func carriedRecord(_ identifier: String, below mark: Mark) -> UInt32? {
    carried[mark.record]?.first { id in
      guard let record = log.reader(of: id) else { return false }
      return (try? RecordHeader(record))?.identifier == identifier
    }
  }

  /// Removes a record from those that are carried, because it has an owner now.
  func uncarry(_ id: UInt32, below mark: Mark) {
    carried[mark.record]?.removeAll { $0 == id }
    if carried[mark.record]?.isEmpty == true { carried[mark.record] = nil }
    carries[id] = nil
  }

  /// Restores the record of a responder that was attached after the launch, with all below it.
  func adopt(_ responder: Responder, _ mark: Mark) {
    guard let application, let parent = responder.nextResponder, let above = parent.mark,
      above.isBound(to: self), above.isDecoded, !mark.isBound(to: self),
      left(of: mark) == nil,
      carried[above.record] != nil,
      let id = carriedRecord(mark.identifier, below: above), let record = log.reader(of: id),
      let header = try? RecordHeader(record), header.role != .object
    else { return }
    let kind = kinds[kinds.index(named: header.kind) ?? 0]
    if let type = kind?.type, !type.includes(responder) { return }
    if let kind, header.version > kind.version { return }
    uncarry(id, below: above)
    var plan = plan(from: id, extent: .all)
    migrate(&plan)
    guard !plan.nodes.isEmpty else { return }
    RestorationRun(self, application, plan).run(into: responder, mark: mark, isWanted: true)
    onReport?(report)
  }
}
