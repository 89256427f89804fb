package import ObjectGraph

/// The parts of SQL that differ between database engines.
///
/// All requirements are static, because a dialect has no state. Features that only SQLite needs are in
/// the module `SQLiteStorage`: functions that SQLite calls, the rebuilding of a table, and a log whose
/// numbers give the order of commits.
///
/// A dialect returns nil for what it has no words for. The ``SQLReader`` then does that part itself.
package protocol SQLDialect: SendableMetatype {
  /// The sizes up to which a query is written as plain SQL for the engine.
  static var limits: SQLLimits { get }

  /// Returns the SQL type for a column.
  static func columnType(of column: Column) -> String

  // MARK: Values

  /// Returns the placeholder for a parameter in a statement, with the type of columns with values of
  /// `kind`; without a type if that is nil. Parameters are numbered from 1.
  static func placeholder(
    _ number: Int, for parameter: SQLParameter, as kind: ColumnKind?
  ) -> String

  /// Returns a condition that is always true or, if `value` is false, never true.
  static func truth(_ value: Bool) -> String

  /// Returns an expression for comparisons such as `<` and `min` in the given order; nil if the engine
  /// cannot compare so.
  ///
  /// Equality is tested with the plain expression instead, because equal values are stored in the
  /// same form.
  static func ordered(_ expression: String, by order: ColumnOrder) -> String?

  /// Returns an expression for the key texts of a text in an order of texts; nil if the engine cannot
  /// compute them. Key texts are compared by their bytes.
  static func keyText(of expression: String, in order: TextOrder) -> String?

  // MARK: Conditions

  /// Whether the engine compares an integer with a real as numbers. An engine that rounds the integer
  /// first does not.
  static var comparesNumbersExactly: Bool { get }

  /// Returns whether the engine can compare two columns with values of these kinds, whose orders are the
  /// same.
  static func canCompare(_ one: ColumnKind, _ other: ColumnKind) -> Bool

  /// The operator of equality for which two nulls are equal.
  static var isSame: String { get }
  /// The operator of inequality for which two nulls are equal.
  static var isDifferent: String { get }

  /// Returns a test whether an expression is one of the values; nil to compare it with one after the
  /// other. The result of the test is unknown if the expression is null.
  ///
  /// The function is called with at least one value, and with no null.
  static func isIn(
    _ left: String, _ values: [StoredValue], _ kind: ColumnKind,
    _ parameters: inout SQLParameters
  ) -> String?

  /// Returns a test of a text; nil if the engine has none. The result of the test is unknown if the
  /// expression is null.
  ///
  /// In a prefix test without options, `text` is never empty.
  static func text(
    _ left: String, _ test: TextTest, _ text: String, _ options: TextOptions,
    _ parameters: inout SQLParameters
  ) -> String?

  // MARK: Rows

  /// Returns a key of an order. Nulls come first or, if the key is descending, last.
  static func key(_ expression: String, isDescending: Bool) -> String

  /// Returns the clause that skips the first rows of a result and limits the number of rows.
  static func window(limit: Int?, offset: Int, _ parameters: inout SQLParameters) -> String

  /// Returns an expression for a figure over the rows of a statement; nil if the reader must compute
  /// it.
  ///
  /// An average is a real; any other figure has the form of the rows' values. Counts are never
  /// requested, because all engines count in the same words. Neither are sums and averages of
  /// decimals, because the reader computes them itself.
  static func figure(
    _ aggregate: Aggregate, of expression: String, _ kind: ColumnKind
  ) -> String?
}

/// The sizes up to which a query is written as SQL. The ``SQLReader`` does what is beyond them.
///
/// The sizes are below the engine's own limits, because other parts of the statement count too.
package struct SQLLimits: Sendable {
  /// The greatest number of tables joined to one table of the statement.
  package var joins: Int
  /// The greatest number of parameters of the statement.
  package var parameters: Int
  /// The greatest number of bytes of SQL for all leaf conditions together.
  package var bytes: Int
  /// The greatest number of keys of an order that are written as separate expressions.
  package var keys: Int
  /// The greatest depth of the parser's stack, in entries.
  package var stack: Int
  /// The greatest height of an expression's tree, in levels.
  package var height: Int

  package init(joins: Int, parameters: Int, bytes: Int, keys: Int, stack: Int, height: Int) {
    self.joins = joins
    self.parameters = parameters
    self.bytes = bytes
    self.keys = keys
    self.stack = stack
    self.height = height
  }
}
