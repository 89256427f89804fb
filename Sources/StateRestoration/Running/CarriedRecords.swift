/// The records that no responder has and that are kept, by the record above them.
struct CarriedRecords {
  private var records: [UInt32: Set<UInt32>] = [:]
  /// The carried records below a record that may still get a responder, by their identifiers, the
  /// first one last. They are looked for when the first responder comes.
  private var identifiers: [UInt32: [String: [UInt32]]] = [:]

  /// Returns the carried records below a record, in no particular order.
  subscript(parent: UInt32) -> Set<UInt32> { records[parent] ?? [] }

  /// All carried records.
  var all: Set<UInt32> { Set(records.values.joined()) }

  /// Adds a record below another one.
  mutating func insert(_ id: UInt32, below parent: UInt32) {
    records[parent, default: []].insert(id)
    identifiers[parent] = nil
  }

  /// Replaces the records below another one.
  mutating func replace(_ ids: [UInt32], below parent: UInt32) {
    records[parent] = ids.isEmpty ? nil : Set(ids)
    identifiers[parent] = nil
  }

  /// Removes a record that has an owner now, or that is dropped.
  mutating func remove(_ id: UInt32, below parent: UInt32) {
    records[parent]?.remove(id)
    if records[parent]?.isEmpty == true { forget(below: parent) }
  }

  /// Removes several records, whatever records they are below.
  mutating func remove(_ ids: Set<UInt32>) {
    for (parent, below) in records {
      for id in below.intersection(ids) { remove(id, below: parent) }
    }
  }

  /// Removes all records below another one.
  mutating func forget(below parent: UInt32) {
    if !records.isEmpty { records[parent] = nil }
    if !identifiers.isEmpty { identifiers[parent] = nil }
  }

  /// Returns the first record with an identifier that was not returned before.
  ///
  /// The closure gets the carried records below the parent, and returns those that may get a
  /// responder, in order.
  ///
  /// - Complexity: O(1), and O(*n*) at the first search below a record with *n* carried ones.
  mutating func next(
    _ identifier: String, below parent: UInt32,
    _ find: (Set<UInt32>) -> [(id: UInt32, identifier: String)]
  ) -> UInt32? {
    guard let all = records[parent] else { return nil }
    if identifiers[parent] == nil {
      var found: [String: [UInt32]] = [:]
      for record in find(all).reversed() { found[record.identifier, default: []].append(record.id) }
      identifiers[parent] = found
    }
    while let id = identifiers[parent]?[identifier]?.popLast() {
      if all.contains(id) { return id }
    }
    return nil
  }
}

/// The account of a record that is kept for a later launch.
struct Carry {
  /// The number of launches that restored something and have carried the record.
  var launches = 0
  /// The first of these launches, in seconds since the reference date.
  var since = 0.0
  /// Whether it was reported that the next launch will remove the record.
  var isExpiring = false
  /// Whether another responder has the record's place, so that the record is no twin of it.
  var isDisplaced = false
  /// Whether the account differs from the archived one, so that the next save writes it.
  var isChanged = false
  /// The index of the record's line in the report.
  var line = 0
}
