import LineageFiles

/// The writer of the items that one save adds to an archive.
struct ArchiveWriter: ~Copyable {
  /// The writer of values, which has all bytes of the save so far.
  var values: ValueWriter
  private let seed: Checksum
  /// The number of items in the archive so far.
  private(set) var index: UInt64
  private var count: UInt64 = 0
  private var start = 0

  /// Makes a writer for a new archive, and writes the archive's header.
  init(baseOf generation: UInt64, capacity: Int) {
    values = ValueWriter(capacity: capacity)
    seed = ArchiveFormat.seed(generation: generation)
    index = 0
    values.bytes.append(ArchiveFormat.header(generation: generation).span)
  }

  /// Makes a writer for items that are appended to an archive with the given generation. The index
  /// is the number of items that the archive has already.
  init(appendingTo generation: UInt64, after index: UInt64) {
    values = ValueWriter(capacity: 1024)
    seed = ArchiveFormat.seed(generation: generation)
    self.index = index
  }

  /// Begins an item. All that is written until ``endItem(_:)`` is the item's payload.
  mutating func beginItem() {
    start = values.bytes.count
    values.bytes.append(UInt64(0))
    values.bytes.append(UInt8(0))
  }

  /// The number of bytes of the item's payload so far.
  var payloadCount: Int { values.bytes.count - start - ArchiveFormat.itemHeaderSize }

  /// Ends an item.
  ///
  /// - Returns: the range of the item's payload in the bytes of the save.
  @discardableResult
  mutating func endItem(_ type: ArchiveFormat.ItemType) -> Range<Int> {
    let payload = start + ArchiveFormat.itemHeaderSize..<values.bytes.count
    let checksum = values.bytes.withBytes {
      ArchiveFormat.checksum(
        seed, index: index, type: type.rawValue, $0.extracting(payload))
    }
    values.bytes.overwrite(UInt32(payload.count), at: start)
    values.bytes.overwrite(type.rawValue, at: start + 4)
    values.bytes.overwrite(checksum, at: start + 5)
    index += 1
    count += 1
    return payload
  }

  /// Removes the item that was begun last.
  mutating func abandonItem() { values.abandon(from: start) }

  /// Writes the list of the records below a record, as one item.
  mutating func writeChildren(_ ids: [UInt32], of id: UInt32) -> Range<Int> {
    beginItem()
    values.bytes.append(varint: UInt64(id))
    values.bytes.append(length: ids.count)
    var last: Int64 = 0
    for child in ids {
      // Each number is written as its difference from the one before. Siblings usually have
      // successive numbers, so the differences take few bytes.
      values.writeZigzag(Int64(child) - last)
      last = Int64(child)
    }
    return endItem(.children)
  }

  /// Ends the save with a commit item. A launch ignores items that no commit follows.
  mutating func commit() {
    let items = count
    beginItem()
    values.bytes.append(varint: items)
    endItem(.commit)
    count = 0
  }

  /// Whether nothing was written since the last commit.
  var isEmpty: Bool { count == 0 }
}
