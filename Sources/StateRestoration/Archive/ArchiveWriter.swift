import LineageFiles

/// The writer of an archive's records, one after the other.
struct ArchiveWriter: ~Copyable {
  /// The writer of values, which has all bytes of the archive so far.
  var values: ValueWriter
  private let seed: Checksum
  /// The number of records so far.
  private(set) var count = 0
  /// The position at which the present record begins.
  private var start = 0
  private var parent: UInt32 = 0

  /// Makes a writer, and writes the archive's header.
  init(generation: UInt64, capacity: Int) {
    values = ValueWriter(capacity: capacity)
    seed = ArchiveFormat.seed(generation: generation)
    values.bytes.append(ArchiveFormat.header(generation: generation).span)
  }

  /// Begins a record. All that is written until ``endRecord()`` is its payload. `parent` is the
  /// index of the record above.
  mutating func beginRecord(below parent: UInt32) {
    start = values.bytes.count
    values.bytes.append(UInt32(0))
    values.bytes.append(parent)
    values.bytes.append(UInt32(0))
    self.parent = parent
  }

  /// The number of bytes of the record's payload so far.
  var payloadCount: Int { values.bytes.count - start - ArchiveFormat.itemHeaderSize }

  /// Ends a record. Returns the range of its payload.
  mutating func endRecord() -> Range<Int> {
    let payload = start + ArchiveFormat.itemHeaderSize..<values.bytes.count
    let checksum = values.bytes.withBytes {
      ArchiveFormat.checksum(seed, index: count, parent: parent, $0.extracting(payload))
    }
    values.bytes.overwrite(UInt32(payload.count), at: start)
    values.bytes.overwrite(checksum, at: start + 8)
    count += 1
    return payload
  }

  /// Returns whether the record with the given payload is at the same place of another archive, below
  /// the same record.
  func isSame(_ payload: Range<Int>, in archive: [UInt8]) -> Bool {
    guard payload.upperBound <= archive.count else { return false }
    let ranges = [start..<start + 8, payload]
    return values.bytes.withBytes { bytes in
      ranges.allSatisfy { archive.isEqual($0, bytes.extracting($0)) }
    }
  }

  /// Removes the record that was begun last.
  mutating func abandonRecord() { values.abandon(from: start) }

  /// Writes the end of the archive, and returns all of its bytes.
  mutating func finish() -> [UInt8] {
    beginRecord(below: ArchiveFormat.endParent)
    _ = endRecord()
    return values.bytes.bytes(from: 0)
  }
}
