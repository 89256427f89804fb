public import ResponderChain
import LineageFiles

/// The writer of one responder's state, passed to
/// ``StateRestoring/encodeRestorableState(with:)``. It may be used only during that call.
public final class StateEncoder {
  var writer: ArchiveWriter
  /// The keys and values that were written into the record so far.
  private var entries: [Range<Int>] = []
  /// The number of entries that methods have written; the others are properties or were carried over.
  private var ownCount = 0
  let limits: RestorationLimits
  /// The problems with single values, each with its key.
  var problems: [(key: String, error: StateError)] = []
  /// The keys whose value was refused, so that the value of before stays.
  private var refusedKeys: [String] = []
  private var scope: ValueScope?
  /// The values that wait for a context, and the record that has their bytes.
  private var waiting: [WaitingValue] = []
  private var old: RecordValues?
  /// The position of the record's values.
  private var start = 0
  /// Whether a value is being written.
  private var isWriting = false

  init(_ writer: consuming ArchiveWriter, _ limits: RestorationLimits) {
    self.writer = writer
    self.limits = limits
  }

  /// The responder whose state is written.
  public var responder: Responder? { scope?.responder }

  /// Writes a value under a key.
  ///
  /// A value that is larger than the limit is left out and reported, and the value of the last save
  /// is kept.
  ///
  /// - Throws: the error of a value that cannot be written, or ``StateError`` if the key was used
  ///   before. The other values are not affected.
  @inlinable
  public func encode<Value: StateValue>(_ value: Value, for key: StateKey<Value>) throws {
    try encode(key.name) { try value.write(to: &$0) }
  }

  @usableFromInline
  func encode(_ key: String, _ write: (inout ValueWriter) throws -> Void) throws {
    precondition(scope != nil, "A StateEncoder was used after encodeRestorableState(with:).")
    precondition(!isWriting, "A value wrote to the StateEncoder instead of its ValueWriter.")
    isWriting = true
    defer { isWriting = false }
    let entry: WrittenEntry
    do {
      entry = try Self.append(key, to: &writer, entries, write)
    } catch {
      refusedKeys.append(key)
      throw error
    }
    let size = entry.end - entry.value
    guard size <= limits.keyBytes else {
      writer.values.abandon(from: entry.key.lowerBound)
      refusedKeys.append(key)
      problems.append((key, StateError(.tooLarge(bytes: size, limit: limits.keyBytes))))
      return
    }
    if !waiting.isEmpty, let kept = kept(key, from: entry.value) {
      writer.values.bytes.truncate(to: entry.key.lowerBound)
      return copy(kept.entry, of: kept.values)
    }
    entries.append(entry.key)
  }

  /// The positions of a key and a value that were written.
  private struct WrittenEntry {
    let key: Range<Int>
    let value: Int
    let end: Int
  }

  /// Appends a key and its value.
  ///
  /// - Throws: an error if there is a value under the key already. Nothing is appended then.
  private static func append(
    _ key: String, to writer: inout ArchiveWriter, _ entries: [Range<Int>],
    _ write: (inout ValueWriter) throws -> Void
  ) throws -> WrittenEntry {
    let start = writer.values.bytes.count
    writer.values.bytes.append(key)
    let written = start..<writer.values.bytes.count
    for entry in entries where entry.count == written.count {
      guard writer.values.bytes.isEqual(entry, written) else { continue }
      writer.values.bytes.truncate(to: start)
      throw StateError(.unstorable("The key \"\(key)\" was written before."))
    }
    writer.values.bytes.append(UInt32(0))
    let value = writer.values.bytes.count
    do {
      try write(&writer.values)
    } catch {
      writer.values.abandon(from: start)
      throw error
    }
    let end = writer.values.bytes.count
    writer.values.bytes.overwrite(UInt32(clamping: end - value), at: value - 4)
    return WrittenEntry(key: written, value: value, end: end)
  }

  /// Returns the value of before, if the key's value waits and was not set meanwhile.
  private func kept(
    _ key: String, from start: Int
  ) -> (values: RecordValues, entry: RecordValues.Entry)? {
    guard var old, let value = waiting.first(where: { $0.key == key }),
      value.before == writer.values.bytes.bytes(from: start), let entry = try? old.find(key)
    else { return nil }
    return (old, entry)
  }
}

extension StateEncoder {
  /// Begins a record of values that a responder writes.
  func begin(_ id: UInt32, _ scope: ValueScope) {
    beginRaw(id)
    self.scope = scope
    writer.values.scope = scope
  }

  /// Begins a record of values that are bytes already.
  func beginRaw(_ id: UInt32) {
    writer.beginItem()
    writer.values.bytes.append(varint: UInt64(id))
    start = writer.values.bytes.count
    writer.values.bytes.append(UInt64(0))
    entries.removeAll(keepingCapacity: true)
    refusedKeys = []
    problems = []
    ownCount = 0
    waiting = []
    old = nil
    writer.values.needs = []
  }

  /// Keeps the bytes of values that wait for a context, as long as their property is not set.
  func protect(_ values: [WaitingValue], _ old: RecordValues?) {
    waiting = values
    self.old = old
  }

  /// Ends the part of the record that methods have written.
  func endMethods() { ownCount = entries.count }

  /// Whether a value was refused.
  var hasRefused: Bool { !refusedKeys.isEmpty }

  /// Returns whether the value of a key was refused, so that the one of before stays.
  func isRefused(_ key: String) -> Bool { refusedKeys.contains(key) }

  /// The set of the values that methods have written.
  var usedBits: UInt64 {
    var bits: UInt64 = 0
    for index in 0..<ownCount { bits.use(index) }
    return bits
  }

  /// Writes the value of before, unless one was written under its key.
  func copy(_ entry: RecordValues.Entry, of old: RecordValues) {
    let start = writer.values.bytes.count
    old.copy(entry, to: &writer.values)
    let key = start..<start + (entry.value.lowerBound - 4 - entry.whole.lowerBound)
    if entries.contains(where: { writer.values.bytes.isEqual($0, key) }) {
      writer.values.bytes.truncate(to: start)
    } else {
      entries.append(key)
      old.noteNeeds(entry, &writer.values.needs)
    }
  }

  /// Appends a value that is bytes already.
  func append(_ key: String, _ value: [UInt8]) {
    let start = writer.values.bytes.count
    writer.values.bytes.append(key)
    entries.append(start..<writer.values.bytes.count)
    writer.values.bytes.append(UInt32(value.count))
    writer.values.bytes.append(value.span)
    var reader = ValueReader(value, 0..<value.count)
    try? reader.forEachReference { name, _ in
      if !writer.values.needs.contains(name) { writer.values.needs.append(name) }
    }
  }

  /// Ends the record by its header.
  ///
  /// - Returns: the position of the item's payload.
  /// - Throws: ``StateError`` if the record is larger than the limit. Nothing is written then.
  func end(_ header: RecordHeader) throws -> Range<Int> {
    scope = nil
    writer.values.scope = nil
    writer.values.bytes.overwrite(
      UInt32(clamping: writer.values.bytes.count - start - 4), at: start)
    writer.values.bytes.overwrite(UInt32(entries.count), at: start + 4)
    var header = header
    header.needs = writer.values.needs
    header.write(to: &writer.values)
    guard writer.payloadCount <= limits.recordBytes else {
      let size = writer.payloadCount
      writer.abandonItem()
      throw StateError(.tooLarge(bytes: size, limit: limits.recordBytes))
    }
    return writer.endItem(.record)
  }

  /// Ends the record without keeping it, because encoding has failed.
  func abandon() {
    scope = nil
    writer.values.scope = nil
    writer.abandonItem()
  }
}
