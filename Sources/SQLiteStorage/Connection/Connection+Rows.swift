import ObjectGraph

extension Connection {
  /// Runs one statement with values.
  func run(_ sql: String, _ values: [StoredValue]) throws {
    try with(sql) { statement in
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      while try statement.step() {}
    }
  }

  /// Returns all rows of a statement.
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

  /// Returns the first column of the first row.
  func value(_ sql: String, _ values: [StoredValue] = []) throws -> StoredValue {
    try with(sql) { statement in
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      return try statement.step() ? statement.cell(0).stored : .null
    }
  }
}
