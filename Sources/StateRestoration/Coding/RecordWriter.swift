import LineageFiles

/// The writer of records, one after the other, into an archive.
struct RecordWriter: ~Copyable {
  var items: ArchiveWriter
  let limits: RestorationLimits
  /// The problems with single values of the record, each with its key.
  var problems: [(key: String, error: StateError)] = []
  /// The keys with their lengths that were written into the record so far.
  private var keys: [Range<Int>] = []
  /// The keys of a record with many of them; empty otherwise.
  private var manyKeys: Set<[UInt8]> = []
  /// The number of keys from which they are found by their hashes.
  private static let manyCount = 32
  /// The number of keys that were compared, for tests of the cost.
  private(set) var comparisons = 0
  /// The number of keys that methods have written; the others are properties or were carried over.
  private var ownCount = 0
  /// The keys whose new value was refused, so that the archived one is kept.
  private var refusedKeys: Set<String> = []
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
    if !manyKeys.isEmpty { manyKeys = [] }
    if !refusedKeys.isEmpty { refusedKeys = [] }
    if !problems.isEmpty { problems = [] }
    if !waiting.isEmpty { waiting = [] }
    if old != nil { old = nil }
    if !items.values.needs.isEmpty { items.values.needs = [] }
    items.values.hasPaths = false
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

  /// The values that methods have written.
  var usedValues: UsedValues { UsedValues(first: ownCount) }

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
      refusedKeys.insert(key)
      throw error
    }
    let size = items.values.bytes.count - value
    guard size <= limits.keyBytes else {
      items.values.abandon(from: first)
      refusedKeys.insert(key)
      problems.append((key, StateError(.tooLarge(bytes: size, limit: limits.keyBytes))))
      return
    }
    if !waiting.isEmpty, let kept = kept(key, from: value) {
      items.values.bytes.truncate(to: first)
      return copy(kept.entry, of: kept.values)
    }
    items.values.bytes.overwrite(UInt32(size), at: value - 4)
    add(written)
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

  private mutating func hasWritten(_ key: Range<Int>) -> Bool {
    guard keys.count < Self.manyCount else {
      comparisons += 1
      return manyKeys.contains(bytes(of: key))
    }
    comparisons += keys.count
    for other in keys where other.count == key.count {
      if items.values.bytes.isEqual(other, key) { return true }
    }
    return false
  }

  /// Adds a key to those that were written.
  private mutating func add(_ key: Range<Int>) {
    keys.append(key)
    guard keys.count >= Self.manyCount else { return }
    if keys.count == Self.manyCount {
      for other in keys { manyKeys.insert(bytes(of: other)) }
    } else {
      manyKeys.insert(bytes(of: key))
    }
  }

  private func bytes(of key: Range<Int>) -> [UInt8] {
    items.values.bytes.withBytes { bytes in key.map { bytes[$0] } }
  }

  /// Copies an archived value, unless a value was written under its key.
  mutating func copy(_ entry: RecordValues.Entry, of values: RecordValues) {
    let first = items.values.bytes.count
    values.copy(entry, to: &items.values)
    let key = first..<first + (entry.value.lowerBound - 4 - entry.whole.lowerBound)
    guard !hasWritten(key) else { return items.values.bytes.truncate(to: first) }
    add(key)
    values.noteNeeds(entry, &items.values.needs)
  }

  /// Appends a value that is bytes already.
  mutating func append(_ key: String, _ value: [UInt8]) {
    let first = items.values.bytes.count
    items.values.bytes.append(key)
    add(first..<items.values.bytes.count)
    items.values.bytes.append(UInt32(value.count))
    items.values.bytes.append(value.span)
    var reader = ValueReader(value, 0..<value.count)
    var needs = items.values.needs
    try? reader.forEachReference { name, _ in
      if !needs.contains(name) { needs.append(name) }
    }
    items.values.needs = needs
  }

  /// Ends the record by its header.
  ///
  /// - Returns: the position of the item's payload; nil if it equals that of the last record, so
  ///   that nothing needs to be written.
  /// - Throws: ``StateError`` if the record is larger than the limit. Nothing is written then.
  mutating func end(_ header: RecordHeader, unless last: ValueReader? = nil) throws -> Range<Int>? {
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
    if let last, items.payload(equals: last) {
      items.abandonItem()
      return nil
    }
    return items.endItem(.record)
  }

  /// Ends the record without keeping it, because encoding has failed.
  mutating func abandon() {
    items.values.scope = nil
    items.abandonItem()
  }
}
