import LineageFiles

/// Migrates the values of planned records to the present versions of their kinds. The later phases
/// of a launch read the migrated values from memory.
struct Migration {
  let session: Session

  /// Migrates the records that may be restored.
  func migrate(_ nodes: inout [PlanNode]) {
    for index in nodes.indices {
      // Most records are of the present version, and their nodes are not copied.
      let number = nodes[index].kind
      guard number > 0, nodes[index].header.version < session.kinds[number].version else {
        continue
      }
      let node = nodes[index]
      if case .end = node.step { continue }
      let kind = session.kinds[number]
      guard !node.isLeftOut, node.header.role != .object, !kind.changes.isEmpty,
        let values = node.record.values
      else { continue }
      let outer = session.guarding.page.enter(node.record.place)
      defer { session.guarding.page.leave(to: outer) }
      do {
        // Values that were dropped need no contexts any more.
        nodes[index].header.needs = try migrate(node, values, kind)
      } catch {
        session.report.set(node.record.line, .damaged, "\(error)")
      }
    }
  }

  /// Gives a record values of the present version of its kind. Returns the contexts that they need.
  private func migrate(
    _ node: PlanNode, _ values: RecordValues, _ kind: Kind
  ) throws -> [String] {
    // The keys and bytes of the values. Each change is applied to them.
    var entries: [(key: String, bytes: [UInt8])] = []
    try values.forEach { entries.append((values.key($0), Array(values.value($0)))) }
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
    var header = node.header
    (header.version, header.kind) = (kind.version, kind.name)
    return node.record.replaceValues(by: entries, header)
  }
}

extension Record {
  /// Gives the record other values. Returns the contexts that they need.
  fileprivate func replaceValues(
    by entries: [(key: String, bytes: [UInt8])], _ header: RecordHeader
  ) -> [String] {
    var writer = ValueWriter()
    writer.bytes.append(UInt32(0))
    writer.bytes.append(UInt32(entries.count))
    for (key, value) in entries {
      writer.bytes.append(key)
      writer.bytes.append(UInt32(value.count))
      writer.bytes.append(value.span)
      var reader = ValueReader(value, value.indices)
      reader.noteNeeds(in: &writer)
    }
    writer.bytes.overwrite(UInt32(writer.bytes.count - 4), at: 0)
    header.write(to: &writer, needs: writer.needs)
    let bytes = writer.bytes.bytes(from: 0)
    migrate(to: bytes, bytes.indices)
    home.forgetLast()
    return writer.needs
  }
}
