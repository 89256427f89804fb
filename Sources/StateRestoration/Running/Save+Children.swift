import ResponderChain

extension Save {
  /// Queues the records below a record, which has the given index in the new archive.
  mutating func enqueueChildren(of item: SaveItem, at index: UInt32) {
    let below =
      switch item.owner {
      case .object: [] as [SaveItem]
      case .carried:
        item.record.below.filter { $0.state != .gone }
          .map { SaveItem(carried: $0, below: index, item.depth + 1) }
      case .responder(let responder, _): liveChildren(of: responder, item, index)
      }
    guard !below.isEmpty || !item.record.below.isEmpty else { return }
    lists.append((item.record, below.map(\.record)))
    enqueue(below)
  }

  /// Returns the records below a responder's record: those of responders and objects, and the
  /// carried ones.
  private mutating func liveChildren(
    of responder: Responder, _ item: SaveItem, _ index: UInt32
  ) -> [SaveItem] {
    let depth = item.depth + 1
    var live: [SaveItem] = []
    var ordinals = Ordinals()
    var skipped: [Responder] = []
    var twin: String?
    responder.forEachOwned { child, role in
      guard let mark = child.mark else {
        if asksAll { skipped.append(child) }
        return
      }
      guard depth <= engine.limits.depth else {
        if leftOut == nil { leftOut = child }
        return
      }
      if asksAll, ordinals.next(mark.identifier) > 0 { twin = mark.identifier }
      live.append(
        SaveItem(
          owner: .responder(child, mark), record: record(of: mark), role: RecordRole(role),
          parent: index, depth: depth))
    }
    for added in engine.objects.below(responder) {
      guard let object = added.object else { continue }
      live.append(
        SaveItem(
          owner: .object(object, added), record: record(of: added.mark), role: .object,
          parent: index, depth: depth))
    }
    for child in skipped { noteSkipped(child) }
    if let twin {
      engine.report.note(
        "\(responder.restorationPath): several responders below it have the identifier \(twin). "
          + "They are told apart by their order.")
    }
    return Self.merge(live, item.record.below) { SaveItem(carried: $0, below: index, depth) }
  }

  /// Returns the records below a record, with the carried ones among the old records in their
  /// places: each carried record stays after the record that it followed before.
  private static func merge(
    _ live: [SaveItem], _ old: [Record], _ carried: (Record) -> SaveItem
  ) -> [SaveItem] {
    guard old.contains(where: { $0.state == .carried }) else { return live }
    let known = Set(live.lazy.map { ObjectIdentifier($0.record) })
    var followers: [ObjectIdentifier?: [SaveItem]] = [:]
    var anchor: ObjectIdentifier?
    for record in old {
      if known.contains(ObjectIdentifier(record)) {
        anchor = ObjectIdentifier(record)
      } else if record.state == .carried {
        followers[anchor, default: []].append(carried(record))
      }
    }
    return live.reduce(into: followers[nil] ?? []) { merged, child in
      merged.append(child)
      merged += followers[ObjectIdentifier(child.record)] ?? []
    }
  }

  /// Reports that a responder or object below the given responder is not archived, because the
  /// given responder has no identifier.
  private func noteSkipped(_ responder: Responder) {
    if let added = engine.objects.first(in: responder) {
      engine.report.note(
        "\(added.identifier) is not archived, because \(responder.path) has no "
          + "restorationIdentifier.")
    }
    guard let found = responder.descendants.first(where: { $0.mark != nil }) else { return }
    engine.report.note(
      "\(found.debugLabel) is not archived, because \(responder.path) has no "
        + "restorationIdentifier.")
  }
}
