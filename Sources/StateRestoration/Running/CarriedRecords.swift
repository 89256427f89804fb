/// The records that are kept although they have no owner, by the record above them.
struct CarriedRecords {
  private var records: [UInt32: Set<UInt32>] = [:]
  /// For each record, the carried records below it that may still get an owner, by identifier. The
  /// first search below a record fills its lists. They are in reverse order, because searches take
  /// from the end.
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

  /// Removes a record below another one, because it has an owner now, or is dropped.
  mutating func remove(_ id: UInt32, below parent: UInt32) {
    records[parent]?.remove(id)
    if records[parent]?.isEmpty == true { forget(below: parent) }
  }

  /// Removes several records, which may be below different ones.
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

  /// Returns the next carried record with an identifier; nil if there is none. Each call returns
  /// another record, until records are added below the parent.
  ///
  /// The closure gets the carried records below the parent, and returns those that may get an
  /// owner, in order.
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

/// The facts about a record that is kept for a later launch, because no owner has it.
struct Carry {
  /// The number of launches that have carried the record. Those that restored nothing are not
  /// counted, except the first.
  var launches = 0
  /// The time of the first of these launches, in seconds since the reference date.
  var since = 0.0
  /// Whether it was reported that the next launch will remove the record.
  var isExpiring = false
  /// Whether another owner has the record's place. Siblings with the same identifier are then
  /// numbered without this record.
  var isDisplaced = false
  /// Whether these facts differ from the archived ones, so that the next save writes them.
  var isChanged = false
  /// The index of the record's line in the report.
  var line = 0
}
