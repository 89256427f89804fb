package import ObjectGraph

/// The value of one parameter of a statement.
package enum SQLParameter {
  case value(StoredValue)
  /// The bytes of a text. They need not be valid UTF-8, for example if they are the upper bound of
  /// all texts with a prefix.
  case bytes([UInt8])
  /// Values of one kind, none of which is null, for an engine that takes an array as one parameter.
  case list([StoredValue])
  case test(CellTest)
}

/// The parameters of one statement, in the order of their numbers.
package struct SQLParameters {
  private let dialect: any SQLDialect.Type
  package private(set) var all: [SQLParameter] = []

  package init(in dialect: any SQLDialect.Type) { self.dialect = dialect }

  package var count: Int { all.count }

  /// Adds a parameter, and returns its placeholder in the SQL of the statement. The placeholder has the
  /// type of columns with values of `kind`. If there is no kind, the engine finds the type itself.
  package mutating func bind(_ parameter: SQLParameter, as kind: ColumnKind?) -> String {
    all.append(parameter)
    return dialect.placeholder(all.count, for: parameter, as: kind)
  }
}
