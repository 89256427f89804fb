/// An order made ready for rows in memory. Ids break all ties, ascending.
package struct Sorter: Sendable {
  private let keys: [(place: Place, isDescending: Bool)]

  /// Throws for names that the schema lacks, and for JSON.
  package init(_ order: [OrderTerm], entity: Int, model: Model) throws(GraphError) {
    var keys: [(place: Place, isDescending: Bool)] = []
    for term in order {
      let place = try model.place(term.property, from: entity)
      if place.isJSON {
        throw model.unusable(place.entity, term.property.name, "JSON has no order")
      }
      keys.append((place, term.isDescending))
    }
    self.keys = keys
  }

  /// Whether a row comes before another.
  package func precedes<Row: RowSource>(_ one: Row, _ other: Row) throws -> Bool {
    for key in keys {
      let order = Stored.order(try one.stored(at: key.place), try other.stored(at: key.place))
      if order != 0 { return key.isDescending ? order > 0 : order < 0 }
    }
    return one.id < other.id
  }

  /// The rows in order; each is looked at once.
  package func sorted<Row: RowSource>(_ rows: [Row]) throws -> [Row] {
    try rows.map { row in
      (row: row, values: try keys.map { try row.stored(at: $0.place) })
    }
    .sorted { one, other in
      for (index, key) in keys.enumerated() {
        let order = Stored.order(one.values[index], other.values[index])
        if order != 0 { return key.isDescending ? order > 0 : order < 0 }
      }
      return one.row.id < other.row.id
    }
    .map(\.row)
  }
}
