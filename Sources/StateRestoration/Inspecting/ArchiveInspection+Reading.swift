extension ArchiveInspection {
  /// The newest version of the archive format that can be read.
  package static let format = "\(ArchiveFormat.major).\(ArchiveFormat.minor)"

  /// Whether an item of the first save does not match its checksum.
  package var isBaseDamaged: Bool { log.isBaseDamaged }

  /// The number of bytes up to the end of the last complete save.
  package var usedBytes: Int { byteCount - findings.unusedBytes }

  /// The number of records that can be read.
  package var readableCount: Int { nodes.reduce(0) { $0 + ($1.isDamaged ? 0 : 1) } }

  /// The indices of all nodes. Each node comes before the nodes below it.
  ///
  /// - Complexity: O(*n*) for *n* nodes.
  package var preorder: [Int] {
    var order: [Int] = []
    order.reserveCapacity(nodes.count)
    var next = nodes.isEmpty ? [] : [0]
    while let index = next.popLast() {
      order.append(index)
      next.append(contentsOf: nodes[index].below.reversed())
    }
    return order
  }

  /// Returns the facts about a node's record; nil if the record is damaged.
  package func record(_ index: Int) -> InspectedRecord? {
    guard !nodes[index].isDamaged, let reader = log.reader(of: nodes[index].id),
      let header = try? RecordHeader(reader)
    else { return nil }
    return InspectedRecord(header)
  }

  /// Calls the closure with each value of a node's record. Stops at the first damaged entry.
  package func forEachValue(of index: Int, _ body: (InspectedValue) throws -> Void) throws {
    guard !nodes[index].isDamaged, let reader = log.reader(of: nodes[index].id),
      let values = try? RecordValues(reader)
    else { return }
    // An error of the closure ends the loop and is thrown. A damaged entry only ends the loop.
    var failure: (any Error)?
    try? values.forEach { entry in
      do {
        try body(InspectedValue(key: entry.key, reader.bytes, entry.value))
      } catch {
        failure = error
        throw error
      }
    }
    if let failure { throw failure }
  }

  /// Returns the identifier in a node's record; nil if the record is damaged. An identifier with
  /// more than `limit` bytes is cut.
  package func identifier(_ index: Int, limit: Int = 200) -> String? {
    guard !nodes[index].isDamaged, var reader = log.reader(of: nodes[index].id),
      (try? reader.varint()) != nil, let size = try? reader.fixed(UInt32.self),
      (try? reader.skip(Int(size))) != nil, (try? reader.fixed(UInt8.self)) != nil,
      let range = try? reader.dataRange()
    else { return nil }
    guard range.count > limit else { return reader.bytes.text(range) }
    return String(decoding: reader.bytes[range.prefix(limit)], as: UTF8.self) + "…"
  }

  /// Returns the names of the records on the way from the application to a record, or only the last
  /// twelve.
  package func path(_ index: Int) -> [String] {
    var names: [String] = []
    var next = index
    while names.count < 12 {
      names.append(name(next, limit: 80))
      guard let parent = nodes[next].parent, parent > 0 else { return names.reversed() }
      next = parent
    }
    return ["…"] + names.reversed()
  }

  /// Returns the identifier in a record, with its number among siblings with the same identifier.
  package func name(_ index: Int, limit: Int = 200) -> String {
    if index == 0 { return "the application" }
    guard let identifier = identifier(index, limit: limit) else {
      return "record \(nodes[index].id)"
    }
    let name = identifier.isEmpty ? "\"\"" : identifier
    return nodes[index].ordinal > 0 ? "\(name) (\(nodes[index].ordinal + 1))" : name
  }
}
