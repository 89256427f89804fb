/// An order prepared for rows in memory. Rows that are equal in the order are ordered by ascending
/// id.
package struct Sorter: Sendable {
  private let keys: [(place: ResolvedPath, isDescending: Bool)]

  /// Creates a sorter for an order.
  ///
  /// - Throws: An error if the schema lacks a name of the order, or if a key is stored as JSON.
  package init(_ order: [OrderTerm], entity: Int, model: Model) throws(GraphError) {
    var keys: [(place: ResolvedPath, isDescending: Bool)] = []
    for term in order {
      keys.append((try model.orderable(term.property, from: entity), term.isDescending))
    }
    self.keys = keys
  }

  /// The values that decide the position of a row. They are computed once for all comparisons of
  /// the row.
  package struct Rank: Sendable {
    fileprivate let keys: [StoredValue]
    package let id: Int64
  }

  package func rank(of row: some RowSource) throws -> Rank {
    Rank(keys: try keys.map { try row.stored(at: $0.place) }, id: row.id)
  }

  package func precedes(_ one: Rank, _ other: Rank) -> Bool {
    for (index, key) in keys.enumerated() {
      let order = key.place.order.compare(one.keys[index], other.keys[index])
      if order != 0 { return key.isDescending ? order > 0 : order < 0 }
    }
    return one.id < other.id
  }

  /// Returns whether the first row comes before the second.
  package func precedes<Row: RowSource>(_ one: Row, _ other: Row) throws -> Bool {
    for key in keys {
      let order = key.place.order.compare(
        try one.stored(at: key.place), try other.stored(at: key.place))
      if order != 0 { return key.isDescending ? order > 0 : order < 0 }
    }
    return one.id < other.id
  }

  /// Returns the rows in order. Each row is read once.
  package func sorted<Row: RowSource>(_ rows: [Row]) throws -> [Row] {
    try rows.map { (row: $0, rank: try rank(of: $0)) }
      .sorted { precedes($0.rank, $1.rank) }
      .map(\.row)
  }
}
