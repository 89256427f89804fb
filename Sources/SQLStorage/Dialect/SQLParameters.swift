package import ObjectGraph

/// A value that a statement is asked with.
package enum SQLParameter {
  case value(StoredValue)
  /// Text that need not be UTF-8: the end of a range of prefixes.
  case bytes([UInt8])
  case values(ValueSet)
  case text(TextMatch)
  case question(RowQuestion, entity: Int)
}

/// The parameters of one statement, in the order of their numbers.
package struct SQLParameters<Dialect: SQLDialect> {
  package private(set) var all: [SQLParameter] = []

  package init() {}

  package var count: Int { all.count }

  /// Adds a parameter and returns the text that stands for it.
  package mutating func bind(_ parameter: SQLParameter) -> String {
    all.append(parameter)
    return Dialect.placeholder(all.count, for: parameter)
  }

  /// Adds a value and returns the text that stands for it.
  package mutating func bind(_ value: StoredValue) -> String { bind(.value(value)) }
}
