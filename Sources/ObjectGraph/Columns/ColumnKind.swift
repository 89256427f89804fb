/// The types that have a flat, typed path between memory and column.
package enum ColumnKind: UInt8, Sendable, CaseIterable {
  case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64
  case double, float, string, data, date, uuid, url
  /// A `Ref<Target>?`.
  case reference
  /// An enum or a JSON value, by closures.
  case custom

  /// What SQLite calls it in a STRICT table.
  package var storage: Cell.Form {
    switch self {
    case .bool, .int, .int8, .int16, .int32, .int64, .uint, .uint8, .uint16, .uint32, .uint64,
      .reference:
      .integer
    case .double, .float, .date: .real
    case .string, .uuid, .url, .custom: .text
    case .data: .blob
    }
  }
}
