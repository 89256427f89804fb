package import ObjectGraph

/// The parking of unique values. In one commit, a value may move from one row to another, but engines
/// check unique values at each statement. So rows that are updated later get temporary values first.
package enum Parking {
  /// Sets unique columns of a write's row to temporary values, if the row's `changed` columns still
  /// have the values of the write's base. Returns whether the row was there and had the values.
  ///
  /// The closure runs a statement with values for its parameters. It returns the number of changed
  /// rows; nil if another row has a temporary value already.
  package static func park(
    _ write: Write, _ unique: [Int], checking changed: [Int], of table: String, _ columns: [Column],
    in dialect: any SQLDialect.Type, run: (String, [StoredValue]) throws -> Int?
  ) throws -> Bool {
    var checks: [StoredValue] = []
    if !changed.isEmpty {
      checks = try write.source.withBase { base in
        try changed.map { try columns[$0].stored(of: base) }
      }
    }
    for attempt in 0..<10_000 {
      var parameters: [StoredValue] = []
      func bind(_ value: StoredValue, _ kind: ColumnKind) -> String {
        parameters.append(value)
        return dialect.placeholder(parameters.count, for: .value(value), as: kind)
      }
      let values = unique.map { column in
        let place = Self.value(columns[column], attempt, id: write.id)
        return "\(quoted(columns[column].name)) = \(bind(place, columns[column].kept))"
      }
      var sql = "UPDATE \(table) SET \(values.joined(separator: ", "))"
      sql += " WHERE id = \(bind(.integer(write.id), .reference))"
      for (column, value) in zip(changed, checks) {
        sql +=
          " AND \(quoted(columns[column].name)) \(dialect.isSame) \(bind(value, columns[column].kept))"
      }
      if let count = try run(sql, parameters) { return count > 0 }
    }
    return false
  }

  private static func value(_ column: Column, _ attempt: Int, id: Int64) -> StoredValue {
    if column.isOptional { return .null }
    switch column.storage {
    case .integer: return .integer(-id &- Int64(attempt))
    case .real: return .real(-Double(id) * 1e200 * Double(attempt + 1))
    case .text, .null: return .text("\0lineage \(id) \(attempt)")
    case .blob: return .blob(Array("\0lineage \(id) \(attempt)".utf8))
    }
  }
}
