import LineageFiles

extension ArchiveInspection {
  /// Returns whether the bytes after the last complete save are the beginning of another save. A
  /// process that is killed while it saves leaves such a beginning.
  ///
  /// If the commit of that save is found, the save was written to its end, and bytes before the
  /// commit were changed later. The result is then false. `position` is the position at which the
  /// scan of the archive has ended.
  ///
  /// - Complexity: O(*n*) for *n* unused bytes.
  func isUnfinished(_ bytes: [UInt8], at position: Int) -> Bool {
    guard findings.fault == nil, canBeCut(bytes, at: position) else { return false }
    let seed = ArchiveFormat.seed(generation: findings.generation)
    let header = ArchiveFormat.itemHeaderSize
    for start in usedBytes..<max(usedBytes, bytes.count - header)
    where bytes[start + 4] == ArchiveFormat.ItemType.commit.rawValue {
      let length = Self.word(bytes, start)
      guard (1...10).contains(length), start + header + length <= bytes.count else { continue }
      let payload = start + header..<start + header + length
      var reader = ValueReader(bytes, payload)
      guard let items = try? reader.varint() else { continue }
      // A commit has the number of items that are before it in its save.
      let (index, isOver) = log.itemCount.addingReportingOverflow(items)
      let checksum = ArchiveFormat.checksum(
        seed, index: isOver ? 0 : index, type: bytes[start + 4], bytes.span.extracting(payload))
      if checksum == UInt32(Self.word(bytes, start + 5)) { return false }
    }
    return true
  }

  /// Returns whether the end of the item at a position may be missing. Returns true for all items
  /// except commits, because only a commit can be checked. The payload of a commit is one varint,
  /// which has at most ten bytes and ends at a byte below 0x80.
  private func canBeCut(_ bytes: [UInt8], at position: Int) -> Bool {
    let payload = position + ArchiveFormat.itemHeaderSize
    guard payload <= bytes.count, bytes[position + 4] == ArchiveFormat.ItemType.commit.rawValue
    else { return true }
    return Self.word(bytes, position) <= 10 && bytes[payload...].allSatisfy { $0 >= 0x80 }
  }

  private static func word(_ bytes: [UInt8], _ place: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
  }
}
