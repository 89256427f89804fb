import ResponderChain

extension Save {
  /// Queues the records below a record, which has the given index in the new archive.
  mutating func enqueueChildren(of item: SaveItem, at index: UInt32) {
    let start = queue.count
    var parent: Responder?
    switch item.source {
    case .object: return
    case .carried:
      for record in item.record.below where record.state != .gone {
        queue.append(SaveItem(carried: record, below: index, item.depth + 1))
      }
    case .responder(let responder, _):
      parent = responder
      enqueue(below: responder, index, item.depth + 1)
      if item.record.below.contains(where: { $0.state == .carried }) {
        mergeCarried(from: start, below: item, at: index)
      }
    }
    guard queue.count > start || !item.record.below.isEmpty else { return }
    lists.append((item.record, parent, queue[start...].map(\.record)))
  }

  /// Queues the responders and objects below a responder.
  private mutating func enqueue(below responder: Responder, _ index: UInt32, _ depth: Int) {
    var ordinals = Ordinals()
    var skipped: [Responder] = []
    var twin: String?
    responder.forEachOwned { child, role in
      guard let mark = child.mark else {
        if asksAll { skipped.append(child) }
        return
      }
      guard depth <= limits.depth else {
        if leftOut == nil { leftOut = child }
        return
      }
      if asksAll, ordinals.next(mark.identifier) > 0 { twin = mark.identifier }
      queue.append(
        SaveItem(
          source: .responder(child, mark), record: home.record(of: mark), role: RecordRole(role),
          parent: index, depth: depth))
    }
    for added in session.objects.below(responder) {
      guard let object = added.object else { continue }
      queue.append(
        SaveItem(
          source: .object(object, added), record: home.record(of: added.mark), role: .object,
          parent: index, depth: depth))
    }
    for child in skipped { noteSkipped(child) }
    if let twin {
      session.report.note(
        "\(responder.restorationPath): several responders below it have the identifier \(twin). "
          + "They are told apart by their order.")
    }
  }

  /// Adds the carried records below a record to the queued ones, which begin at the given index. Each
  /// carried record stays after the record that it followed before.
  private mutating func mergeCarried(from start: Int, below item: SaveItem, at index: UInt32) {
    let live = Set(queue[start...].lazy.map { ObjectIdentifier($0.record) })
    var followers: [ObjectIdentifier?: [SaveItem]] = [:]
    var before: ObjectIdentifier?
    for record in item.record.below {
      if live.contains(ObjectIdentifier(record)) {
        before = ObjectIdentifier(record)
      } else if record.state == .carried {
        followers[before, default: []].append(
          SaveItem(carried: record, below: index, item.depth + 1))
      }
    }
    queue[start...] = queue[start...].reduce(into: ArraySlice(followers[nil] ?? [])) {
      $0.append($1)
      $0 += followers[ObjectIdentifier($1.record)] ?? []
    }
  }

  /// Reports that a responder or object below the given responder is not archived, because the
  /// given responder has no identifier.
  private func noteSkipped(_ responder: Responder) {
    if let added = session.objects.first(in: responder) {
      session.report.note(
        "\(added.identifier) is not archived, because \(responder.path) has no "
          + "restorationIdentifier.")
    }
    guard let found = responder.descendants.first(where: { $0.mark != nil }) else { return }
    session.report.note(
      "\(found.debugLabel) is not archived, because \(responder.path) has no "
        + "restorationIdentifier.")
  }
}
