import LineageFiles
import ResponderChain

/// The writer of an archive's records. It writes one record after the other.
struct RecordWriter: ~Copyable {
  var items: ArchiveWriter
  let limits: RestorationLimits
  /// The problems with single values of the record, each with its key.
  var problems: [(key: String, error: StateError)] = []
  /// The number of keys that were written into the record so far.
  private var count = 0
  /// A set of 256 bits. Each written key sets one of them, which depends on its hash. So a key
  /// whose bit is not set was not written. Different keys may have the same bit.
  private var bits = SIMD4<UInt64>()
  /// The written keys of a record with at least ``manyCount`` keys; empty for other records.
  private var manyKeys: Set<[UInt8]> = []
  /// The number of keys from which on ``manyKeys`` is used.
  private static let manyCount = 32
  /// The number of keys that were compared, for tests of the cost.
  private(set) var comparisons = 0
  /// The number of keys that methods have written. The later ones are those of properties, or were
  /// copied from the archive.
  private var ownCount = 0
  /// The keys whose new value could not be written or was too large. Their archived value is kept.
  private var refusedKeys: Set<String> = []
  /// The values that wait for a context. Their bytes are copied from the `old` record.
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
  mutating func begin(_ id: UInt32, _ responder: Responder?, _ contexts: ContextTable) {
    items.beginItem()
    items.values.bytes.append(varint: UInt64(id))
    start = items.values.bytes.count
    items.values.bytes.append(UInt64(0))
    items.values.responder = responder
    items.values.contexts = contexts
    count = 0
    bits = SIMD4()
    if !manyKeys.isEmpty { manyKeys = [] }
    if !refusedKeys.isEmpty { refusedKeys = [] }
    if !problems.isEmpty { problems = [] }
    if !waiting.isEmpty { waiting = [] }
    if old != nil { old = nil }
    if !items.values.needs.isEmpty { items.values.needs = [] }
    items.values.hasPaths = false
    ownCount = 0
  }

  /// Keeps the archived bytes of values that wait for a context, unless their property was set
  /// meanwhile.
  mutating func protect(_ values: [WaitingValue], _ record: RecordValues?) {
    waiting = values
    old = record
  }

  /// Ends the part of the record that methods have written.
  mutating func endMethods() { ownCount = count }

  /// Whether a value was refused.
  var hasRefused: Bool { !refusedKeys.isEmpty }

  /// Returns whether the new value of a key was refused, so that the archived one is kept.
  func isRefused(_ key: String) -> Bool { refusedKeys.contains(key) }

  /// The values that methods have written.
  var usedValues: UsedValues { UsedValues(first: ownCount) }

  /// Writes a value under a key.
  ///
  /// - Throws: the error of a value that cannot be written, or of a key that was used before.
  ///   A value that is too large throws nothing; it is added to ``problems``.
  mutating func write(
    _ key: String, _ write: (inout ValueWriter) throws -> Void
  ) throws {
    let first = items.values.bytes.count
    items.values.bytes.append(key)
    try writeValue(first, write)
  }

  /// Writes a value under a key that is given as UTF-8.
  mutating func write(
    _ key: Span<UInt8>, _ write: (inout ValueWriter) throws -> Void
  ) throws {
    let first = items.values.bytes.count
    items.values.bytes.append(length: key.count)
    items.values.bytes.append(key)
    try writeValue(first, write)
  }

  /// Writes a value behind its key, which begins at a position and was written already.
  private mutating func writeValue(
    _ first: Int, _ write: (inout ValueWriter) throws -> Void
  ) throws {
    let written = first..<items.values.bytes.count
    guard isNew(written) else {
      let key = key(at: first)
      items.values.bytes.truncate(to: first)
      throw StateError(.unstorable("The key \"\(key)\" was written before."))
    }
    items.values.bytes.append(UInt32(0))
    let value = items.values.bytes.count
    do {
      try write(&items.values)
    } catch {
      refuse(first)
      throw error
    }
    let size = items.values.bytes.count - value
    guard size <= limits.keyBytes else {
      let key = refuse(first)
      problems.append((key, StateError(.tooLarge(bytes: size, limit: limits.keyBytes))))
      return
    }
    if !waiting.isEmpty, let kept = kept(key(at: first), from: value) {
      items.values.bytes.truncate(to: first)
      return copy(kept.entry, of: kept.values)
    }
    items.values.bytes.overwrite(UInt32(size), at: value - 4)
    add(written)
  }

  /// Removes a key and its value, because the value cannot be kept. Returns the key.
  @discardableResult
  private mutating func refuse(_ first: Int) -> String {
    let key = key(at: first)
    items.values.abandon(from: first)
    refusedKeys.insert(key)
    return key
  }

  private func key(at first: Int) -> String {
    var reader = ValueReader(items.values.bytes.bytes(from: first), 0..<Int.max)
    return (try? reader.text()) ?? ""
  }

  /// Returns the archived value of a key that waits and whose property was not set meanwhile; nil
  /// for other keys.
  private func kept(
    _ key: String, from start: Int
  ) -> (values: RecordValues, entry: RecordValues.Entry)? {
    guard let old, let value = waiting.first(where: { $0.key == key }),
      value.before == items.values.bytes.bytes(from: start), let entry = try? old.find(key)
    else { return nil }
    return (old, entry)
  }

  /// Returns whether a key was not written before. Sets the key's bit.
  private mutating func isNew(_ key: Range<Int>) -> Bool {
    guard count < Self.manyCount else {
      comparisons += 1
      return !manyKeys.contains(bytes(of: key))
    }
    let hash = (items.values.bytes.sum(of: key) &* 0x9E37_79B9_7F4A_7C15) >> 56
    let (word, bit) = (Int(hash >> 6), 1 << (hash & 63) as UInt64)
    guard bits[word] & bit != 0 else {
      bits[word] |= bit
      return true
    }
    comparisons += count
    return !items.values.bytes.withReader { reader in
      Self.contains(&reader, start + 8, count) { items.values.bytes.isEqual($0, key) }
    }
  }

  /// Adds a key to those that were written.
  private mutating func add(_ key: Range<Int>) {
    count += 1
    guard count >= Self.manyCount else { return }
    if count == Self.manyCount {
      items.values.bytes.withReader { reader in
        _ = Self.contains(&reader, start + 8, count) { other in
          manyKeys.insert(bytes(of: other))
          return false
        }
      }
    } else {
      manyKeys.insert(bytes(of: key))
    }
  }

  /// Returns whether the closure accepts one of the written keys. It gets the range of each key,
  /// which includes the key's length.
  private static func contains(
    _ reader: inout ByteReader, _ start: Int, _ count: Int, where accepts: (Range<Int>) -> Bool
  ) -> Bool {
    do {
      _ = try reader.view(start)
      for _ in 0..<count {
        let first = reader.position
        _ = try reader.view(reader.length())
        if accepts(first..<reader.position) { return true }
        _ = try reader.view(Int(reader.integer(UInt32.self)))
      }
    } catch {
      preconditionFailure("A record that is being written has its values as a whole.")
    }
    return false
  }

  private func bytes(of key: Range<Int>) -> [UInt8] {
    items.values.bytes.withBytes { bytes in key.map { bytes[$0] } }
  }

  /// Copies an archived value, unless a value was written under its key.
  mutating func copy(_ entry: RecordValues.Entry, of values: RecordValues) {
    let first = items.values.bytes.count
    values.copy(entry, to: &items.values)
    let key = first..<first + (entry.value.lowerBound - 4 - entry.whole.lowerBound)
    guard isNew(key) else { return items.values.bytes.truncate(to: first) }
    add(key)
    values.noteNeeds(entry, &items.values.needs)
  }

  /// Appends a value that is encoded already, unless a value was written under its key.
  mutating func append(_ key: String, _ value: [UInt8]) {
    let first = items.values.bytes.count
    items.values.bytes.append(key)
    let written = first..<items.values.bytes.count
    guard isNew(written) else { return items.values.bytes.truncate(to: first) }
    items.values.bytes.append(UInt32(value.count))
    items.values.bytes.append(value.span)
    add(written)
    var reader = ValueReader(value, 0..<value.count)
    var needs = items.values.needs
    try? reader.forEachReference { name, _ in
      let name = String(decoding: name, as: UTF8.self)
      if !needs.contains(name) { needs.append(name) }
    }
    items.values.needs = needs
  }

  /// Writes the header, which ends the record.
  ///
  /// - Returns: the position of the item's payload; nil if the payload equals that of the last
  ///   record. Nothing is written then.
  /// - Throws: ``StateError`` if the record is larger than the limit. Nothing is written then.
  mutating func end(_ header: RecordHeader, unless last: ValueReader? = nil) throws -> Range<Int>? {
    items.values.responder = nil
    items.values.bytes.overwrite(
      UInt32(clamping: items.values.bytes.count - start - 4), at: start)
    items.values.bytes.overwrite(UInt32(count), at: start + 4)
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

  /// Removes the record, because encoding has failed.
  mutating func abandon() {
    items.values.responder = nil
    items.abandonItem()
  }
}
