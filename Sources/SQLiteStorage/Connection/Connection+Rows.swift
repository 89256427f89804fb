import ObjectGraph

extension Connection {
  /// Runs one statement with values for its parameters, and ignores the rows that it returns.
  func run(_ sql: String, _ values: [StoredValue]) throws {
    try with(sql) { statement in
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      while try statement.step() {}
    }
  }

  /// Returns all rows of a statement. The values are those of its parameters.
  func rows(_ sql: String, _ values: [StoredValue] = []) throws -> [[StoredValue]] {
    try with(sql) { statement in
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      var rows: [[StoredValue]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.cell(Int32($0)).stored })
      }
      return rows
    }
  }

  /// Returns the first column of a statement's first row; null if there is no row.
  func value(_ sql: String, _ values: [StoredValue] = []) throws -> StoredValue {
    try with(sql) { statement in
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      return try statement.step() ? statement.cell(0).stored : .null
    }
  }
}
