#if Postgres
import ObjectGraph

/// A type of the server that the store's columns and parameters have. The raw value is the number by
/// which the server identifies the type.
enum ServerType: UInt32, Sendable {
  case boolean = 16
  case bytea = 17
  case bigint = 20
  case text = 25
  case float8 = 701
  case numeric = 1700
  case uuid = 2950

  /// The type of a column with values of a kind.
  init(_ kind: ColumnKind) {
    switch kind {
    case .bool: self = .boolean
    case .decimal: self = .numeric
    case .uuid: self = .uuid
    case .reference, .int, .int8, .int16, .int32, .int64, .uint, .uint8, .uint16, .uint32,
      .uint64:
      self = .bigint
    case .double, .float, .date: self = .float8
    case .string, .url, .custom: self = .text
    case .data: self = .bytea
    }
  }

  /// The type in which a value is sent. If the column has another type, the SQL converts the value.
  init(sending form: ColumnCell.Form) {
    switch form {
    case .integer: self = .bigint
    case .real: self = .float8
    case .text, .null: self = .text
    case .blob: self = .bytea
    }
  }

  /// The name of the type in SQL.
  var sql: String { "\(self)" }

  /// The number of the type of arrays with elements of this type.
  var arrayNumber: UInt32 {
    switch self {
    case .boolean: 1000
    case .bytea: 1001
    case .bigint: 1016
    case .text: 1009
    case .float8: 1022
    case .numeric: 1231
    case .uuid: 2951
    }
  }
}
#endif
