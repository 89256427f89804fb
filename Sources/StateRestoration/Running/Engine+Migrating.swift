import LineageFiles
import ResponderChain

extension Engine {
  /// Migrates the values of the planned records to the present versions of their kinds.
  ///
  /// The later phases read the migrated values from memory. The closure decides which records are migrated. By default, it accepts all records except
  /// records that wait until a responder is attached.
  func migrate(
    _ plan: inout RestorationPlan,
    _ isWanted: (Int, borrowing RestorationPlan.Node) -> Bool = { !$1.isWaiting }
  ) {
    let encoder = StateEncoder(ArchiveWriter(generation: 0, capacity: 1024), limits, contexts)
    var migrated: [(record: Record, range: Range<Int>)] = []
    for index in plan.nodes.indices {
      let node = plan.nodes[index]
      guard isWanted(index, node), !node.isLeftOut else { continue }
      switch node.step {
      case .carry, .leaveOut, .drop, .object: continue
      case .application, .make, .find, .whenAttached: break
      }
      guard let kind = kinds[node.kind],
        node.header.version < kind.version, !kind.changes.isEmpty,
        let values = node.record.values
      else { continue }
      let outer = crashGuard.enter(node.record.place)
      defer { crashGuard.leave(to: outer) }
      if let range = migrate(node, values, kind, encoder) {
        migrated.append((node.record, range))
        // Values that were dropped need no contexts any more.
        plan.nodes[index].header.extras.needs = encoder.record.items.values.needs
      }
    }
    guard !migrated.isEmpty else { return }
    let bytes = encoder.record.items.values.bytes.bytes(from: 0)
    for (record, range) in migrated { record.migrate(to: bytes, range) }
    home.forgetLast()
  }

  /// Writes a record with its values migrated to the present version of the kind.
  ///
  /// - Returns: the position of the record's payload; nil if the record is damaged or became too
  ///   large.
  private func migrate(
    _ node: RestorationPlan.Node, _ values: RecordValues, _ kind: Kind, _ encoder: StateEncoder
  ) -> Range<Int>? {
    // The keys and bytes of the values. Each change in the loop below is applied to them.
    var entries: [(key: String, bytes: [UInt8])] = []
    do {
      try values.forEach { entries.append((values.key($0), Array(values.value($0)))) }
    } catch {
      report.set(node.reportIndex, .damaged, "\(error)")
      return nil
    }
    let changes = kind.changes.filter { $0.version > node.header.version }
    for change in changes.sorted(by: { $0.version < $1.version }) {
      switch change.step {
      case .rename(let old, let new):
        guard let index = entries.firstIndex(where: { $0.key == old }) else { continue }
        let value = entries[index].bytes
        entries.removeAll { $0.key == new || $0.key == old }
        entries.append((new, value))
      case .drop(let key): entries.removeAll { $0.key == key }
      case .transform(let key, let convert):
        guard let index = entries.firstIndex(where: { $0.key == key }) else { continue }
        var reader = ValueReader(entries[index].bytes, 0..<entries[index].bytes.count)
        var writer = ValueWriter()
        do {
          try convert(&reader, &writer)
          entries[index].bytes = writer.bytes.bytes(from: 0)
        } catch {
          entries.remove(at: index)
          report.add(
            problem: "The value \"\(key)\" of a \(kind.name) was not brought to version "
              + "\(change.version): \(error)")
        }
      }
    }
    encoder.record.begin(below: 0, nil)
    for entry in entries { encoder.record.append(entry.key, entry.bytes) }
    var header = node.header
    header.version = kind.version
    header.kind = kind.name
    do {
      return try encoder.record.end(header)
    } catch {
      encoder.record.abandon()
      report.add(
        problem: "A record of a \(kind.name) was not brought to version \(kind.version): \(error)")
      return nil
    }
  }
}
