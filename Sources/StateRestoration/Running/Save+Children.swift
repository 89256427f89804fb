import ResponderChain

extension Save {
  /// Writes the list of the records below a record, and queues these records.
  mutating func writeChildren(of item: SaveQueue.Item) {
    let id = item.id
    var ids: [UInt32] = []
    switch item.owner {
    case .object, .none: return
    case .left(let old, let numbering):
      ids = carryLeft(numbering.left[old]?.below ?? [], of: numbering, item.depth + 1)
      carried.replace(ids, below: id)
    case .carried(let old):
      for child in (try? engine.log.childIDs(of: old)) ?? []
      where !copied.contains(child) && !engine.erased.contains(child) && engine.isReadable(child) {
        let new = newID()
        ids.append(new)
        queue.items.append(
          SaveQueue.Item(owner: .carried(child), role: .child, id: new, depth: item.depth + 1))
        copied.insert(child)
      }
      carried.replace(ids, below: id)
    case .responder(let responder, let mark): ids = liveChildren(of: responder, mark, item)
    }
    if ids.isEmpty { return }
    note(childrenOf: id, at: encoder.record.items.writeChildren(ids, of: id))
  }

  /// Returns the numbers of the records below a responder's record, and queues these records.
  private mutating func liveChildren(
    of responder: Responder, _ mark: Mark, _ item: SaveQueue.Item
  ) -> [UInt32] {
    let depth = item.depth + 1
    // The number of each record in the new archive, and its number in the last archive; nil if it
    // had none.
    var live: [(id: UInt32, old: UInt32?)] = []
    var siblings = SiblingNames()
    var skipped: [Responder] = []
    var twin: String?
    responder.forEachOwned { child, role in
      guard let childMark = child.mark else {
        if asksAll { skipped.append(child) }
        return
      }
      guard depth <= engine.limits.depth else {
        if leftOut == nil { leftOut = child }
        return
      }
      if asksAll, !siblings.insert(childMark.identifier) { twin = childMark.identifier }
      live.append(
        number(.responder(child, childMark), childMark, RecordRole(role), depth))
    }
    for added in engine.objects.below(responder) {
      guard let object = added.object else { continue }
      live.append(number(.object(object, added), added.mark, .object, depth))
    }
    for child in skipped { noteSkipped(child) }
    if let twin {
      engine.report.note(
        "\(responder.restorationPath): several responders below it have the identifier \(twin). "
          + "They are told apart by their order.")
    }
    if let left = engine.left(of: mark), let numbering = mark.numbering as? RecordNumbering {
      let ids = carryLeft(left.below, of: numbering, depth)
      carried.replace(ids, below: item.id)
      return live.map(\.id) + ids
    }
    guard mark.isBound(to: engine), !engine.carried[mark.record].isEmpty else {
      return live.map(\.id)
    }
    return merge(live, engine.carried[mark.record], mark.record, item.id, depth)
  }

  /// Queues carried records of an earlier archive, and returns their numbers in the new archive.
  private mutating func carryLeft(
    _ records: [UInt32], of numbering: RecordNumbering, _ depth: Int
  ) -> [UInt32] {
    var seen: Set<UInt32> = []
    return records.filter { seen.insert($0).inserted }.map { old in
      let new = newID()
      queue.items.append(
        SaveQueue.Item(owner: .left(old, numbering), role: .child, id: new, depth: depth))
      return new
    }
  }

  /// Queues a record. Returns its number in the new archive, and its number in the last archive.
  /// The second number is nil if the last archive does not have the record.
  private mutating func number(
    _ owner: SaveQueue.Source, _ mark: Mark, _ role: RecordRole, _ depth: Int
  ) -> (id: UInt32, old: UInt32?) {
    let new = newID()
    bindings.append((mark, new))
    queue.items.append(SaveQueue.Item(owner: owner, role: role, id: new, depth: depth))
    return (new, mark.isBound(to: engine) ? mark.record : nil)
  }

  /// Returns the numbers of all records below a record: the records of responders and objects, and
  /// the carried records. Each carried record stays after the record that it followed before.
  private mutating func merge(
    _ live: [(id: UInt32, old: UInt32?)], _ kept: Set<UInt32>, _ oldID: UInt32, _ id: UInt32,
    _ depth: Int
  ) -> [UInt32] {
    let known = Set(live.compactMap(\.old))
    var followers: [UInt32?: [UInt32]] = [:]
    var anchor: UInt32?
    for child in (try? engine.log.childIDs(of: oldID)) ?? [] {
      if known.contains(child) {
        anchor = child
      } else if kept.contains(child), copied.insert(child).inserted {
        followers[anchor, default: []].append(child)
      }
    }
    var ids: [UInt32] = []
    var stay: [UInt32] = []
    func add(_ old: UInt32?) -> [UInt32] { followers[old] ?? [] }
    for child in add(nil) {
      let new = carry(child, depth)
      ids.append(new)
      stay.append(new)
    }
    for entry in live {
      ids.append(entry.id)
      guard let old = entry.old else { continue }
      for child in add(old) {
        let new = carry(child, depth)
        ids.append(new)
        stay.append(new)
      }
    }
    carried.replace(stay, below: id)
    return ids
  }

  /// Queues a carried record, and returns its number in the new archive.
  private mutating func carry(_ old: UInt32, _ depth: Int) -> UInt32 {
    let new = newID()
    queue.items.append(
      SaveQueue.Item(owner: .carried(old), role: .child, id: new, depth: depth))
    return new
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

/// The identifiers of the responders below one responder.
private struct SiblingNames {
  private var few: [String] = []
  private var many: Set<String> = []

  /// Adds an identifier.
  ///
  /// - Returns: false if the identifier was added before.
  mutating func insert(_ identifier: String) -> Bool {
    if !many.isEmpty { return many.insert(identifier).inserted }
    guard !few.contains(identifier) else { return false }
    few.append(identifier)
    // A set is made only when there are many identifiers.
    if few.count > 16 { many = Set(few) }
    return true
  }
}
