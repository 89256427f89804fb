import LineageFiles

/// The writer of records, one after the other, into an archive.
struct RecordWriter: ~Copyable {
  var items: ArchiveWriter
  let limits: RestorationLimits
  /// The problems with single values of the record, each with its key.
  var problems: [(key: String, error: StateError)] = []
  /// The keys with their lengths that were written into the record so far.
  private var keys: [Range<Int>] = []
  /// The number of keys that methods have written; the others are properties or were carried over.
  private var ownCount = 0
  /// The keys whose new value was refused, so that the archived one is kept.
  private var refusedKeys: [String] = []
  /// The values that wait for a context. Their bytes are those of the `old` record.
  private var waiting: [WaitingValue] = []
  private var old: RecordValues?
  /// The position of the record's values.
  private var start = 0

  init(_ items: consuming ArchiveWriter, _ limits: RestorationLimits) {
    self.items = items
    self.limits = limits
  }
}

extension RecordWriter {
  /// Begins a record.
  mutating func begin(_ id: UInt32, _ scope: ValueScope?) {
    items.beginItem()
    items.values.bytes.append(varint: UInt64(id))
    start = items.values.bytes.count
    items.values.bytes.append(UInt64(0))
    items.values.scope = scope
    keys.removeAll(keepingCapacity: true)
    if !refusedKeys.isEmpty { refusedKeys = [] }
    if !problems.isEmpty { problems = [] }
    if !waiting.isEmpty { waiting = [] }
    if old != nil { old = nil }
    if !items.values.needs.isEmpty { items.values.needs = [] }
    ownCount = 0
  }

  /// Keeps the bytes of values that wait for a context, as long as their property is not set.
  mutating func protect(_ values: [WaitingValue], _ record: RecordValues?) {
    waiting = values
    old = record
  }

  /// Ends the part of the record that methods have written.
  mutating func endMethods() { ownCount = keys.count }

  /// Whether a value was refused.
  var hasRefused: Bool { !refusedKeys.isEmpty }

  /// Returns whether the new value of a key was refused, so that the archived one is kept.
  func isRefused(_ key: String) -> Bool { refusedKeys.contains(key) }

  /// The set of the values that methods have written; see `UInt64.use(_:)`.
  var usedBits: UInt64 {
    if ownCount <= 63 { return 1 << UInt64(ownCount) - 1 }
    return .max
  }

  /// Writes a value under a key.
  ///
  /// - Throws: the error of a value that cannot be written, or of a key that was used before.
  ///   A value that is too large is only noted.
  mutating func write(
    _ key: String, _ write: (inout ValueWriter) throws -> Void
  ) throws {
    let first = items.values.bytes.count
    items.values.bytes.append(key)
    let written = first..<items.values.bytes.count
    guard !hasWritten(written) else {
      items.values.bytes.truncate(to: first)
      throw StateError(.unstorable("The key \"\(key)\" was written before."))
    }
    items.values.bytes.append(UInt32(0))
    let value = items.values.bytes.count
    do {
      try write(&items.values)
    } catch {
      items.values.abandon(from: first)
      refusedKeys.append(key)
      throw error
    }
    let size = items.values.bytes.count - value
    guard size <= limits.keyBytes else {
      items.values.abandon(from: first)
      refusedKeys.append(key)
      problems.append((key, StateError(.tooLarge(bytes: size, limit: limits.keyBytes))))
      return
    }
    if !waiting.isEmpty, let kept = kept(key, from: value) {
      items.values.bytes.truncate(to: first)
      return copy(kept.entry, of: kept.values)
    }
    items.values.bytes.overwrite(UInt32(size), at: value - 4)
    keys.append(written)
  }

  /// Returns the archived value of a key; nil unless it waits and its property was not set
  /// meanwhile.
  private func kept(
    _ key: String, from start: Int
  ) -> (values: RecordValues, entry: RecordValues.Entry)? {
    guard var old, let value = waiting.first(where: { $0.key == key }),
      value.before == items.values.bytes.bytes(from: start), let entry = try? old.find(key)
    else { return nil }
    return (old, entry)
  }

  private func hasWritten(_ key: Range<Int>) -> Bool {
    for other in keys where other.count == key.count {
      if items.values.bytes.isEqual(other, key) { return true }
    }
    return false
  }

  /// Copies an archived value, unless a value was written under its key.
  mutating func copy(_ entry: RecordValues.Entry, of values: RecordValues) {
    let first = items.values.bytes.count
    values.copy(entry, to: &items.values)
    let key = first..<first + (entry.value.lowerBound - 4 - entry.whole.lowerBound)
    guard !hasWritten(key) else { return items.values.bytes.truncate(to: first) }
    keys.append(key)
    values.noteNeeds(entry, &items.values.needs)
  }

  /// Appends a value that is bytes already.
  mutating func append(_ key: String, _ value: [UInt8]) {
    let first = items.values.bytes.count
    items.values.bytes.append(key)
    keys.append(first..<items.values.bytes.count)
    items.values.bytes.append(UInt32(value.count))
    items.values.bytes.append(value.span)
    var reader = ValueReader(value, 0..<value.count)
    var needs = items.values.needs
    try? reader.forEachReference { name, _ in
      let name = String(decoding: name, as: UTF8.self)
      if !needs.contains(name) { needs.append(name) }
    }
    items.values.needs = needs
  }

  /// Ends the record by its header.
  ///
  /// - Returns: the position of the item's payload.
  /// - Throws: ``StateError`` if the record is larger than the limit. Nothing is written then.
  mutating func end(_ header: RecordHeader) throws -> Range<Int> {
    items.values.scope = nil
    items.values.bytes.overwrite(
      UInt32(clamping: items.values.bytes.count - start - 4), at: start)
    items.values.bytes.overwrite(UInt32(keys.count), at: start + 4)
    header.write(to: &items.values, needs: items.values.needs)
    guard items.payloadCount <= limits.recordBytes else {
      let size = items.payloadCount
      items.abandonItem()
      throw StateError(.tooLarge(bytes: size, limit: limits.recordBytes))
    }
    return items.endItem(.record)
  }

  /// Ends the record without keeping it, because encoding has failed.
  mutating func abandon() {
    items.values.scope = nil
    items.abandonItem()
  }
}
