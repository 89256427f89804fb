/// The carried records, which are kept although no responder or object has them. They are grouped
/// by the record above them.
struct CarriedRecords {
  private var records: [UInt32: Set<UInt32>] = [:]
  /// The carried records that may still be given to a responder or object. They are stored under
  /// the number of the record above them, and then under their identifier. The first search below a
  /// record makes the lists for that record. The lists are in reverse order, because a search
  /// removes their last element.
  private var identifiers: [UInt32: [String: [UInt32]]] = [:]

  /// The carried records below a record, in no particular order.
  subscript(parent: UInt32) -> Set<UInt32> { records[parent] ?? [] }

  /// All carried records.
  var all: Set<UInt32> { Set(records.values.joined()) }

  /// Adds a carried record below another record.
  mutating func insert(_ id: UInt32, below parent: UInt32) {
    records[parent, default: []].insert(id)
    identifiers[parent] = nil
  }

  /// Replaces all carried records below a record by the given records.
  mutating func replace(_ ids: [UInt32], below parent: UInt32) {
    records[parent] = ids.isEmpty ? nil : Set(ids)
    identifiers[parent] = nil
  }

  /// Removes one carried record, after it was given to a responder or object, or was dropped.
  mutating func remove(_ id: UInt32, below parent: UInt32) {
    records[parent]?.remove(id)
    if records[parent]?.isEmpty == true { forget(below: parent) }
  }

  /// Removes several carried records, which may be below different records.
  mutating func remove(_ ids: Set<UInt32>) {
    for (parent, below) in records {
      for id in below.intersection(ids) { remove(id, below: parent) }
    }
  }

  /// Removes all carried records below a record.
  mutating func forget(below parent: UInt32) {
    if !records.isEmpty { records[parent] = nil }
    if !identifiers.isEmpty { identifiers[parent] = nil }
  }

  /// Returns the next carried record with an identifier; nil if there is none. Each call returns
  /// another record. When a record is added below the parent, the search begins anew.
  ///
  /// The closure gets the carried records below the parent, and returns the records that may be
  /// given to a responder or object, in order.
  ///
  /// - Complexity: O(1), or O(*n*) at the first search below a record with *n* carried records.
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

/// The facts about a carried record, which is kept for a later launch because no responder or
/// object has it.
struct Carry {
  /// The number of launches that have kept the record. A launch that restored nothing counts only
  /// if it was the first launch that kept the record.
  var launches = 0
  /// The time of the first launch that has kept the record, in seconds since the reference date.
  var since = 0.0
  /// Whether a report has said that the next launch will remove the record.
  var isExpiring = false
  /// Whether another responder or object has taken the record's place. If so, this record is left
  /// out when siblings with the same identifier are counted.
  var isDisplaced = false
  /// The index of the record's line in the report.
  var line = 0
}
