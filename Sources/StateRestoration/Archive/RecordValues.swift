import LineageFiles

/// The values of one record, each found by its key without reading the others.
struct RecordValues {
  private let bytes: [UInt8]
  private let start: Int
  private let end: Int
  /// The number of values that the record announces.
  let count: Int
  /// The position and index of the entry at which the next search begins, because keys are usually
  /// read in the order in which they were written.
  private var cursor: (position: Int, index: Int)

  /// One value of the record.
  struct Entry {
    /// The index among the record's values.
    let index: Int
    /// The key's bytes.
    let key: Range<Int>
    /// The value's bytes.
    let value: Range<Int>
    /// The key and value with their lengths.
    let whole: Range<Int>
  }

  /// Makes the values from the reader of a record.
  init(_ record: ValueReader) throws {
    var reader = record
    _ = try reader.varint()
    let size = Int(try reader.fixed(UInt32.self))
    guard size >= 4, size <= reader.end - reader.position else {
      throw StateError(.damaged("its values are longer than the record"))
    }
    end = reader.position + size
    count = Int(try reader.fixed(UInt32.self))
    guard count <= size else { throw StateError(.damaged("it has more values than bytes")) }
    bytes = reader.bytes
    start = reader.position
    cursor = (start, 0)
  }

  /// Returns the entry at a position.
  private func entry(at position: Int, _ index: Int) throws -> Entry {
    guard position < end else { throw StateError(.damaged("its values end early")) }
    var start = position + 1
    var length = Int(bytes[position])
    if length > 0x7F {
      var reader = ValueReader(bytes, position..<end)
      length = try reader.length()
      start = reader.position
    }
    guard length + 4 <= end - start else { throw StateError(.damaged("its values end early")) }
    let key = start..<start + length
    let value = key.upperBound + 4
    var size = 0
    for byte in 1...4 { size = size << 8 | Int(bytes[value - byte]) }
    guard size <= end - value else {
      throw StateError(.damaged("a value is longer than its record"))
    }
    return Entry(
      index: index, key: key, value: value..<value + size, whole: position..<value + size)
  }

  /// Returns the entry of a key; nil if there is none.
  mutating func find(_ key: Span<UInt8>) throws -> Entry? {
    var (position, index) = cursor
    for _ in 0..<count {
      if index == count { (position, index) = (start, 0) }
      let found = try entry(at: position, index)
      (position, index) = (found.whole.upperBound, index + 1)
      if isEqual(found.key, key) {
        cursor = (position, index)
        return found
      }
    }
    return nil
  }

  private func isEqual(_ range: Range<Int>, _ key: Span<UInt8>) -> Bool {
    guard range.count == key.count else { return false }
    for offset in 0..<key.count where bytes[range.lowerBound + offset] != key[offset] {
      return false
    }
    return true
  }

  /// Calls the closure with all entries, in order.
  func forEach(_ body: (Entry) throws -> Void) throws {
    var position = start
    for index in 0..<count {
      let entry = try entry(at: position, index)
      try body(entry)
      position = entry.whole.upperBound
    }
  }

  /// Returns a reader of an entry's value.
  func reader(_ entry: Entry, _ scope: ValueScope?) -> ValueReader {
    ValueReader(bytes, entry.value, scope)
  }

  /// Returns an entry's key.
  func key(_ entry: Entry) -> String { String(decoding: bytes[entry.key], as: UTF8.self) }

  /// Returns the bytes of an entry's value.
  func value(_ entry: Entry) -> ArraySlice<UInt8> { bytes[entry.value] }

  /// Appends all values with their number and size.
  func copyAll(to writer: inout ValueWriter) {
    writer.bytes.append(UInt32(end - start + 4))
    writer.bytes.append(UInt32(count))
    writer.bytes.append(bytes.span.extracting(start..<end))
  }

  /// Adds the names of the contexts that an entry's value needs.
  func noteNeeds(_ entry: Entry, _ needs: inout [String]) {
    var reader = reader(entry, nil)
    try? reader.forEachReference { name, _ in
      let name = String(decoding: name, as: UTF8.self)
      if !needs.contains(name) { needs.append(name) }
    }
  }

  /// Appends the bytes of an entry, with its key, to a writer.
  func copy(_ entry: Entry, to writer: inout ValueWriter) {
    writer.bytes.append(bytes.span.extracting(entry.whole))
  }
}
