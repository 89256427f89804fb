import ResponderChain

extension Save {
  /// Writes the list of the records below a record, and queues these records.
  mutating func writeChildren(of item: SaveItem) {
    let below =
      switch item.owner {
      case .object: [] as [Child]
      case .carried: carriedChildren(of: item)
      case .responder(let responder, _): liveChildren(of: responder, item)
      }
    if !below.isEmpty || !item.record.below.isEmpty {
      lists.append((item.record, below.map(\.record)))
    }
    guard !below.isEmpty else { return }
    note(
      childrenOf: item.id,
      at: encoder.record.items.writeChildren(below.map(\.number), of: item.id))
  }

  /// Queues the records below a carried record, and returns them.
  private mutating func carriedChildren(of item: SaveItem) -> [Child] {
    var below: [Child] = []
    for record in item.record.below where record.state != .gone {
      below.append(enqueue(.carried, record, .child, item.depth + 1))
    }
    return below
  }

  /// Queues the records below a responder's record, and returns them: the records of responders
  /// and objects, and the carried records.
  private mutating func liveChildren(
    of responder: Responder, _ item: SaveItem
  ) -> [Child] {
    let depth = item.depth + 1
    var live: [Child] = []
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
      live.append(enqueue(.responder(child, mark), mark, RecordRole(role), depth))
    }
    for added in engine.objects.below(responder) {
      guard let object = added.object else { continue }
      live.append(enqueue(.object(object, added), added.mark, .object, depth))
    }
    for child in skipped { noteSkipped(child) }
    if let twin {
      engine.report.note(
        "\(responder.restorationPath): several responders below it have the identifier \(twin). "
          + "They are told apart by their order.")
    }
    return merge(live, item.record.below, depth)
  }

  /// Queues the carried records among the old records below a record. Returns all records in
  /// order: each carried record stays after the record that it followed before.
  private mutating func merge(_ live: [Child], _ old: [Record], _ depth: Int) -> [Child] {
    guard old.contains(where: { $0.state == .carried }) else { return live }
    let known = Set(live.lazy.map { ObjectIdentifier($0.record) })
    var followers: [ObjectIdentifier?: [Child]] = [:]
    var anchor: ObjectIdentifier?
    for record in old {
      if known.contains(ObjectIdentifier(record)) {
        anchor = ObjectIdentifier(record)
      } else if record.state == .carried {
        followers[anchor, default: []].append(enqueue(.carried, record, .child, depth))
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
