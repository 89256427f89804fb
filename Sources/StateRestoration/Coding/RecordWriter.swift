import LineageFiles
import ResponderChain

/// The writer of an archive's records, one after the other.
struct RecordWriter: ~Copyable {
  var items: ArchiveWriter
  let limits: RestorationLimits
  /// The problems with single values of the record, each with the key of the value.
  var problems: [(key: String, error: StateError)] = []
  /// The number of keys in the record so far.
  private var count = 0
  /// A set of 128 bits, one for each hash of a key. If the bit of a key is not set, the key is new.
  private var bits: UInt128 = 0
  /// The keys of a record with at least ``manyCount`` keys; empty for other records.
  private var manyKeys: Set<[UInt8]> = []
  /// The number of keys at which ``manyKeys`` begins to be used.
  private static let manyCount = 32
  /// The number of keys that were compared, for tests of the cost.
  private(set) var comparisons = 0
  /// The number of keys that methods have written. The others belong to properties, or were copied.
  private var ownCount = 0
  /// Whether all values of the record count as used, so that later saves copy none of them.
  private var areAllUsed = false
  /// The keys with a new value that could not be written or was too large. Their archived values
  /// are kept.
  private var refusedKeys: Set<String> = []
  /// The values whose bytes are copied from the record `old`, unless they have changed.
  private var protected: [WaitingValue] = []
  private var old: RecordValues?
  /// The keys of protected values that have changed.
  private var changedKeys: Set<String> = []
  /// The position at which the record's values begin.
  private var start = 0

  init(_ items: consuming ArchiveWriter, _ limits: RestorationLimits) {
    self.items = items
    self.limits = limits
  }
}

extension RecordWriter {
  /// Begins a record below the record with the given index.
  mutating func begin(below parent: UInt32, _ responder: Responder?) {
    items.beginRecord(below: parent)
    start = items.values.bytes.count
    items.values.bytes.append(UInt64(0))
    items.values.responder = responder
    count = 0
    bits = 0
    if !manyKeys.isEmpty { manyKeys = [] }
    if !refusedKeys.isEmpty { refusedKeys = [] }
    if !problems.isEmpty { problems = [] }
    if !protected.isEmpty { (protected, old, changedKeys) = ([], nil, []) }
    if !items.values.needs.isEmpty { items.values.needs = [] }
    ownCount = 0
    areAllUsed = false
  }

  /// Makes the record keep the archived bytes of some values. If such a value has changed, the new
  /// value is written instead.
  mutating func protect(_ values: [WaitingValue], _ record: RecordValues?) {
    (protected, old) = (values, record)
  }

  /// Ends the part of the record that methods have written.
  mutating func endMethods() { ownCount = count }

  /// Whether at least one new value was refused.
  var hasRefused: Bool { !refusedKeys.isEmpty }

  /// Returns whether the new value of a key was refused, so that the archived value is kept.
  func isRefused(_ key: String) -> Bool { refusedKeys.contains(key) }

  /// The values that methods have written, or all after ``noteAllUsed()``.
  var usedValues: UsedValues { areAllUsed ? .all : UsedValues(first: ownCount) }

  /// Notes that no value of the record was copied, so that all count as used.
  mutating func noteAllUsed() { areAllUsed = true }

  /// Writes a value under a key.
  ///
  /// - Throws: ``StateError`` if the key was used before. A value that cannot be written, or is too
  ///   large, throws nothing, and is added to ``problems``.
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

  /// Writes a value after its key, which is written already and begins at the given position.
  private mutating func writeValue(
    _ first: Int, _ write: (inout ValueWriter) throws -> Void
  ) throws {
    let written = first..<items.values.bytes.count
    guard insertKey(written) else {
      let key = key(at: first)
      items.values.bytes.truncate(to: first)
      throw StateError(.unstorable("The key \"\(key)\" was written before."))
    }
    items.values.bytes.append(UInt32(0))
    let value = items.values.bytes.count
    do {
      try write(&items.values)
    } catch {
      return note(error, refuse(first))
    }
    let size = items.values.bytes.count - value
    guard size <= limits.valueBytes else {
      let error = StateError(.tooLarge(bytes: size, limit: limits.valueBytes))
      return note(error, refuse(first))
    }
    if !protected.isEmpty, let kept = kept(key(at: first), from: value) {
      items.values.bytes.truncate(to: first)
      return copy(kept.entry, of: kept.values)
    }
    items.values.bytes.overwrite(UInt32(size), at: value - 4)
    add(written)
  }

  /// Notes that the value of a key could not be written.
  mutating func note(_ error: any Error, _ key: String) {
    problems.append((key, error as? StateError ?? StateError(.unstorable("\(error)"))))
  }

  /// Removes a key and its value, because the value cannot be archived. Returns the key.
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

  /// Returns the archived value of a key if it is a late value, and if its property has not changed
  /// since it began to wait; nil otherwise.
  private mutating func kept(
    _ key: String, from start: Int
  ) -> (values: RecordValues, entry: RecordValues.ValueEntry)? {
    guard let old, let value = protected.first(where: { $0.key == key }),
      let entry = try? old.find(key)
    else { return nil }
    guard value.before == items.values.bytes.bytes(from: start) else {
      changedKeys.insert(key)
      return nil
    }
    return (old, entry)
  }

  /// Returns whether the value of a protected key has changed.
  func hasChanged(_ key: String) -> Bool { changedKeys.contains(key) }

  /// Returns whether a key is new in the record, and sets the key's bit.
  private mutating func insertKey(_ key: Range<Int>) -> Bool {
    guard count < Self.manyCount else {
      comparisons += 1
      return !manyKeys.contains(bytes(of: key))
    }
    let hash = (items.values.bytes.sum(of: key) &* 0x9E37_79B9_7F4A_7C15) >> 57
    let bit: UInt128 = 1 &<< UInt128(truncatingIfNeeded: hash)
    guard bits & bit != 0 else {
      bits |= bit
      return true
    }
    comparisons += count
    return !items.values.bytes.withReader { reader in
      Self.contains(&reader, start + 8, count) { items.values.bytes.isEqual($0, key) }
    }
  }

  /// Adds a key to the written keys.
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

  /// Returns whether the closure accepts one of the written keys. The closure gets the range of
  /// each key, including the bytes of the key's length.
  private static func contains(
    _ reader: inout ByteReader, _ start: Int, _ count: Int, where accepts: (Range<Int>) -> Bool
  ) -> Bool {
    do {
      try reader.skip(start)
      for _ in 0..<count {
        let first = reader.position
        try reader.skip(reader.length())
        if accepts(first..<reader.position) { return true }
        try reader.skip(Int(reader.integer(UInt32.self)))
      }
    } catch {
      preconditionFailure("A record that is being written has its values as a whole.")
    }
    return false
  }

  private func bytes(of key: Range<Int>) -> [UInt8] {
    items.values.bytes.withBytes { bytes in key.map { bytes[$0] } }
  }

  /// Copies an archived value, unless the record has a value under the same key already.
  mutating func copy(_ entry: RecordValues.ValueEntry, of values: RecordValues) {
    let first = items.values.bytes.count
    values.copy(entry, to: &items.values)
    let key = first..<first + (entry.value.lowerBound - 4 - entry.whole.lowerBound)
    guard insertKey(key) else { return items.values.bytes.truncate(to: first) }
    add(key)
    var reader = values.reader(entry, nil)
    reader.noteNeeds(in: &items.values)
  }

  /// Writes the header, which ends the record.
  ///
  /// - Returns: the range of the record's bytes.
  /// - Throws: ``StateError`` if the record is larger than ``RestorationLimits/recordBytes``. In
  ///   that case, the new record is removed again.
  mutating func end(_ header: RecordHeader) throws -> Range<Int> {
    items.values.responder = nil
    items.values.bytes.overwrite(
      UInt32(clamping: items.values.bytes.count - start - 4), at: start)
    items.values.bytes.overwrite(UInt32(count), at: start + 4)
    header.write(to: &items.values, needs: items.values.needs)
    guard items.payloadCount <= limits.recordBytes else {
      let size = items.payloadCount
      items.abandonRecord()
      throw StateError(.tooLarge(bytes: size, limit: limits.recordBytes))
    }
    return items.endRecord()
  }

  /// Removes the record that was begun, because encoding has failed.
  mutating func abandon() {
    items.values.responder = nil
    items.abandonRecord()
  }
}
