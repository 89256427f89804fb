package import ObjectGraph

/// The parts of SQL that differ between engines.
///
/// All requirements are static, because the writer of SQL is generic over a dialect and holds none.
/// Whatever only SQLite does stays in its module: functions that it calls back, sums in two halves,
/// the rebuilding of a table, and a log whose numbers mean the order of commits.
package protocol SQLDialect {
  /// The sizes up to which the engine accepts a statement.
  static var limits: SQLLimits { get }

  /// The names of entities and properties that the engine refuses.
  static var names: NameRules { get }

  /// Returns the SQL type of a column.
  static func columnType(of column: Column) -> String

  // MARK: Values

  /// Returns the text that stands for a parameter, by its number from 1.
  static func placeholder(_ number: Int, for parameter: SQLParameter) -> String

  /// Returns a condition that always holds or, for false, never holds.
  static func truth(_ value: Bool) -> String

  /// Returns an expression that `<`, `min` and the like compare by an order.
  ///
  /// Tests of equality use the plain expression, because in each order equal values are stored
  /// alike.
  static func ordered(_ expression: String, by order: ColumnOrder) -> String

  // MARK: Conditions

  /// The operator of equality for which null equals null.
  static var isSame: String { get }
  /// The operator of inequality for which null equals null.
  static var isDifferent: String { get }

  /// Returns a test whether an expression is one of the values; unknown where the expression is
  /// null.
  ///
  /// There is at least one value, and none is null.
  static func isIn(
    _ left: String, _ values: [StoredValue], _ parameters: inout SQLParameters<Self>
  ) -> String

  /// Returns a test of a text; unknown where the expression is null.
  ///
  /// The text is never empty in a test of prefixes without options.
  static func text(
    _ left: String, _ test: TextTest, _ text: String, _ options: TextOptions,
    _ parameters: inout SQLParameters<Self>
  ) -> String

  /// Returns an expression for a question about the row with an id.
  ///
  /// It is called only for parts of a query that are beyond the limits.
  static func answer(
    _ question: RowQuestion, of entity: Int, id: String, _ parameters: inout SQLParameters<Self>
  ) throws -> String

  // MARK: Rows

  /// Returns a key of an order. Nulls come before all values, or after them if it is descending.
  static func key(_ expression: String, isDescending: Bool) -> String

  /// Returns the clause that skips the first rows of a result and limits their number.
  static func window(
    limit: Int?, offset: Int, _ parameters: inout SQLParameters<Self>
  ) -> String

  /// Returns a figure over the rows of a statement.
  ///
  /// An average is a real; any other figure has the form of the rows' values. Sums and averages of
  /// decimals are never asked for, because the reader adds them up itself.
  static func figure(_ figure: SQLFigure, of expression: String, _ form: Cell.Form) -> String
}

/// A figure over all rows of a statement.
package enum SQLFigure {
  case sum, average, minimum, maximum
}

/// The sizes up to which a query is written as plain SQL; the rest becomes a ``RowQuestion``.
///
/// They are lower than the engine's own limits, because other parts of the statement count, too.
package struct SQLLimits: Sendable {
  /// The number of tables joined to one table of the statement.
  package var joins: Int
  /// The number of parameters of the statement.
  package var parameters: Int
  /// The number of bytes of SQL for all leaf conditions together.
  package var bytes: Int
  /// The number of keys of an order that are written as expressions of their own.
  package var keys: Int
  /// The depth of the parser's stack, in entries.
  package var stack: Int
  /// The height of an expression's tree, in levels.
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
