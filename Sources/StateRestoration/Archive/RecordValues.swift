import LineageFiles

/// The values of one record. A value is found by its key, and the other values are not decoded.
struct RecordValues {
  private let bytes: [UInt8]
  /// The position of the first entry.
  let start: Int
  /// The position after the last entry.
  let end: Int
  /// The number of values, as the record says. A damaged record may have fewer.
  let count: Int

  /// The position at which the next search for a key begins: after the entry that was found last.
  /// Keys are usually read in the order in which they were written.
  struct EntryCursor {
    fileprivate var position: Int
    fileprivate var index = 0
  }

  /// A cursor at the first entry.
  var first: EntryCursor { EntryCursor(position: start) }

  /// One value of the record, with its key.
  struct ValueEntry {
    /// The index of the value in the record.
    let index: Int
    /// The range of the key's bytes.
    let key: Range<Int>
    /// The range of the value's bytes.
    let value: Range<Int>
    /// The range of the whole entry: the key and the value, each with its length.
    let whole: Range<Int>
  }

  /// Reads the position and the number of a record's values. The reader must be at the beginning of
  /// the record.
  init(_ record: ValueReader) throws {
    var reader = record
    let size = Int(try reader.fixed(UInt32.self))
    guard size >= 4, size <= reader.end - reader.position else {
      throw StateError(.damaged("its values are longer than the record"))
    }
    end = reader.position + size
    count = Int(try reader.fixed(UInt32.self))
    guard count <= size else { throw StateError(.damaged("it has more values than bytes")) }
    bytes = reader.bytes
    start = reader.position
  }

  /// Returns the ranges of the key and the value of the entry at a position.
  @inline(__always)
  private func ranges(at position: Int) throws -> (key: Range<Int>, value: Range<Int>) {
    guard position < end else { throw StateError(.damaged("its values end early")) }
    var start = position + 1
    var length = Int(bytes[position])
    if length > 0x7F {
      var reader = ValueReader(bytes, position..<end)
      length = try reader.length()
      start = reader.position
    }
    guard length + 4 <= end - start else { throw StateError(.damaged("its values end early")) }
    let value = start + length + 4
    let size = Int(bytes.integer(at: start + length) as UInt32)
    guard size <= end - value else {
      throw StateError(.damaged("a value is longer than its record"))
    }
    return (start..<start + length, value..<value + size)
  }

  /// Returns the place of the entry with a key, and the ranges of its key and value; nil if none.
  /// The search begins at the cursor, and continues at the first entry when it reaches the end. If
  /// the key is found, the cursor is moved after the entry.
  @inline(__always)
  private func search(
    _ key: Span<UInt8>, from cursor: inout EntryCursor
  ) throws -> (place: EntryCursor, key: Range<Int>, value: Range<Int>)? {
    var next = cursor
    for _ in 0..<count {
      if next.index == count { next = first }
      let place = next
      let (name, value) = try ranges(at: next.position)
      next.position = value.upperBound
      next.index += 1
      if bytes.isEqual(name, key) {
        cursor = next
        return (place, name, value)
      }
    }
    return nil
  }

  /// Returns the entry with a key; nil if none. The search begins at the cursor, which is moved
  /// after the entry.
  func find(_ key: Span<UInt8>, from cursor: inout EntryCursor) throws -> ValueEntry? {
    guard let (place, key, value) = try search(key, from: &cursor) else { return nil }
    return ValueEntry(
      index: place.index, key: key, value: value, whole: place.position..<value.upperBound)
  }

  /// Returns the range of the value with a key, like ``find(_:from:)``.
  func range(_ key: Span<UInt8>, from cursor: inout EntryCursor) -> Range<Int>? {
    (try? search(key, from: &cursor))?.value
  }

  /// Returns the entry with a key; nil if none. The search begins at the cursor. If the key is
  /// found, the cursor is moved after the entry.
  func find(_ key: String, from cursor: inout EntryCursor) throws -> ValueEntry? {
    var key = key
    return try key.withUTF8 { try unsafe find($0.span, from: &cursor) }
  }

  /// Returns the entry with a key; nil if none.
  func find(_ key: String) throws -> ValueEntry? {
    var cursor = first
    return try find(key, from: &cursor)
  }

  /// Calls the closure with each entry, in order. Throws an error at the first damaged entry.
  func forEach(_ body: (ValueEntry) throws -> Void) throws {
    var position = start
    for index in 0..<count {
      let (key, value) = try ranges(at: position)
      let whole = position..<value.upperBound
      try body(ValueEntry(index: index, key: key, value: value, whole: whole))
      position = whole.upperBound
    }
  }

  /// Returns a reader that can be moved to each of the values in turn.
  func reader(_ scope: ValueScope) -> ValueReader { ValueReader(bytes, start..<end, scope) }

  /// Returns a reader of an entry's value.
  func reader(_ entry: ValueEntry, _ scope: ValueScope?) -> ValueReader {
    ValueReader(bytes, entry.value, scope)
  }

  /// Returns an entry's key.
  func key(_ entry: ValueEntry) -> String { String(decoding: bytes[entry.key], as: UTF8.self) }

  /// Returns the bytes of an entry's key.
  func keyBytes(_ entry: ValueEntry) -> ArraySlice<UInt8> { bytes[entry.key] }

  /// Returns whether an entry has the given key.
  func hasKey(_ entry: ValueEntry, _ key: Span<UInt8>) -> Bool { bytes.isEqual(entry.key, key) }

  /// Returns the bytes of an entry's value.
  func value(_ entry: ValueEntry) -> ArraySlice<UInt8> { bytes[entry.value] }

  /// Copies all values of a record with a readable header. The values are not read, so damaged ones
  /// are copied as they are.
  static func copyAll(of record: ValueReader, to writer: inout ValueWriter) {
    var reader = record
    guard let size = try? reader.fixed(UInt32.self), (try? reader.skip(Int(size))) != nil else {
      return
    }
    writer.bytes.append(record.bytes.span.extracting(record.position..<reader.position))
  }

  /// Appends an entry, with its key and value, to a writer.
  func copy(_ entry: ValueEntry, to writer: inout ValueWriter) {
    writer.bytes.append(bytes.span.extracting(entry.whole))
  }
}
