extension ArchiveInspection {
  /// The newest version of the archive format that can be read.
  package static let format = "\(ArchiveFormat.major).\(ArchiveFormat.minor)"

  /// Whether an item of the first save does not match its checksum.
  package var isBaseDamaged: Bool { log.isBaseDamaged }

  /// The number of bytes up to the end of the last complete save.
  package var usedBytes: Int { byteCount - findings.unusedBytes }

  /// The number of bytes of items that the tree does not need: older versions of records, records
  /// that were removed from the tree, and damaged items.
  package var supersededBytes: Int { usedBytes - frameBytes - (nodes.first?.allBytes ?? 0) }

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
}
