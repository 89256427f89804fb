/// An order prepared for rows in memory. Rows that are equal in the order are ordered by ascending
/// id.
package struct Sorter: Sendable {
  let keys: [SortKey]

  /// Creates a sorter for an order.
  ///
  /// - Throws: An error if the schema lacks a name of the order, if a key is stored as JSON, or if a
  ///   key has an order of texts but is not a text.
  package init(_ order: [OrderTerm], entity: Int, model: Model) throws(GraphError) {
    var keys: [SortKey] = []
    for term in order {
      keys.append(SortKey(try model.orderable(term, from: entity), term))
    }
    self.keys = keys
  }

  /// The values that decide the position of a row. They are computed once for all comparisons of
  /// the row.
  package struct Rank: Sendable {
    let values: [StoredValue]
    package let id: Int64
  }

  package func rank(of row: some RowSource) throws -> Rank {
    Rank(values: try keys.map { try $0.value(of: row) }, id: row.id)
  }

  package func precedes(_ one: Rank, _ other: Rank) -> Bool {
    for (index, key) in keys.enumerated() {
      let order = key.order(one.values[index], other.values[index])
      if order != 0 { return order < 0 }
    }
    return one.id < other.id
  }

  /// Returns the rows in order. Each row is read once.
  package func sorted<Row: RowSource>(_ rows: [Row]) throws -> [Row] {
    try rows.map { (row: $0, rank: try rank(of: $0)) }
      .sorted { precedes($0.rank, $1.rank) }
      .map { $0.row }
  }
}

/// One key of an order, prepared for rows in memory.
struct SortKey: Sendable {
  let place: ResolvedPath
  let textOrder: TextOrder?
  private let isDescending: Bool

  init(_ place: ResolvedPath, _ term: OrderTerm) {
    (self.place, textOrder, isDescending) = (place, term.textOrder, term.isDescending)
  }

  /// Returns the value by which a row is ordered: the value of the property, or its key text.
  func value(of row: some RowSource) throws -> StoredValue {
    let value = try row.stored(at: place)
    return textOrder?.key(of: value) ?? value
  }

  /// Returns a negative number if the first value comes first, zero if they are equal, else a
  /// positive number.
  func order(_ one: StoredValue, _ other: StoredValue) -> Int {
    let order = place.order.compare(one, other)
    return isDescending ? -order : order
  }
}
