package import ObjectGraph

/// The value of one parameter of a statement.
package enum SQLParameter {
  case value(StoredValue)
  /// The bytes of a text that need not be UTF-8, such as the end of a range of prefixes.
  case bytes([UInt8])
  /// The values of a test of membership, as an object.
  case values(ValueSet)
  /// A test of a text, as an object.
  case text(TextMatch)
  /// A question about each row of the entity. SQL cannot express it, so the engine calls a function
  /// of the store for the answer.
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
