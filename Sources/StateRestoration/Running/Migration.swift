import LineageFiles

/// Migrates the values of planned records to the present versions of their kinds. The later phases
/// of a launch read the migrated values from memory.
struct Migration {
  private let session: Session
  private let encoder: StateEncoder

  init(_ session: Session) {
    self.session = session
    encoder = StateEncoder(
      ArchiveWriter(generation: 0, capacity: 1024), session.settings.limits, session.contexts)
  }

  /// Migrates the records that may be restored.
  func migrate(_ plan: inout LaunchPlan) {
    var migrated: [(record: Record, range: Range<Int>)] = []
    for index in plan.nodes.indices {
      // Most records are of the present version, and their nodes are not copied.
      let number = plan.nodes[index].kind
      guard number > 0, plan.nodes[index].header.version < session.kinds.version(number) else {
        continue
      }
      let node = plan.nodes[index]
      if case .end = node.step { continue }
      guard !node.isLeftOut, node.header.role != .object, let kind = session.kinds[number],
        !kind.changes.isEmpty, let values = node.record.values
      else { continue }
      let outer = session.guarding.page.enter(node.record.place)
      defer { session.guarding.page.leave(to: outer) }
      if let range = migrate(node, values, kind) {
        migrated.append((node.record, range))
        // Values that were dropped need no contexts any more.
        plan.nodes[index].header.needs = encoder.record.items.values.needs
      }
    }
    guard !migrated.isEmpty else { return }
    let bytes = encoder.record.items.values.bytes.bytes(from: 0)
    for (record, range) in migrated { record.migrate(to: bytes, range) }
    migrated[0].record.home.forgetLast()
  }

  /// Writes a record with its values migrated to the present version of the kind.
  ///
  /// - Returns: the position of the record's payload; nil if the record is damaged or became too
  ///   large.
  private func migrate(
    _ node: LaunchPlan.Node, _ values: RecordValues, _ kind: Kind
  ) -> Range<Int>? {
    // The keys and bytes of the values. Each change in the loop below is applied to them.
    var entries: [(key: String, bytes: [UInt8])] = []
    do {
      try values.forEach { entries.append((values.key($0), Array(values.value($0)))) }
    } catch {
      session.report.set(node.record.line, .damaged, "\(error)")
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
          session.report.add(
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
      session.report.add(
        problem: "A record of a \(kind.name) was not brought to version \(kind.version): \(error)")
      return nil
    }
  }
}
