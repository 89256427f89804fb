package import ObjectGraph

/// The places in which the SQL of one engine differs from that of another.
///
/// All requirements are static: what writes SQL is generic over a dialect and holds none.
package protocol SQLDialect {
  /// The sizes of a statement that the engine admits.
  static var limits: SQLLimits { get }

  /// The names of entities and properties that the engine does not admit.
  static var names: NameRules { get }

  /// Returns the type of a column, by the kind of the values that it keeps.
  static func columnType(of column: Column) -> String

  // MARK: Values

  /// Returns the text that stands for a parameter, by its number from 1.
  static func placeholder(_ number: Int, for parameter: SQLParameter) -> String

  /// Returns a condition that always or never holds.
  static func truth(_ value: Bool) -> String

  /// Returns an expression of which the comparisons `<` and the like, the least and the greatest are
  /// those of an order.
  ///
  /// Equality never needs it: in each order, equal values are kept alike.
  static func ordered(_ expression: String, by order: ColumnOrder) -> String

  // MARK: Conditions

  /// The operator of equality that takes null for a value like any other.
  static var isSame: String { get }
  /// The operator of inequality that takes null for a value like any other.
  static var isDifferent: String { get }

  /// Returns a test whether an expression is among values, of which there is at least one and none is
  /// null; unknown where the expression is null.
  static func isIn(
    _ left: String, _ values: [StoredValue], _ parameters: inout SQLParameters<Self>
  ) -> String

  /// Returns a test of a text; unknown where the expression is null.
  ///
  /// A test of prefixes without options has a text that is not empty.
  static func text(
    _ left: String, _ test: TextTest, _ text: String, _ options: TextOptions,
    _ parameters: inout SQLParameters<Self>
  ) -> String

  /// Returns the answer to a question about a row that SQL cannot hold, by the row's id.
  ///
  /// It is called only for what is beyond the limits.
  static func answer(
    _ question: RowQuestion, of entity: Int, id: String, _ parameters: inout SQLParameters<Self>
  ) throws -> String

  // MARK: Rows

  /// Returns a key of an order, in which nulls come before all values, after them if descending.
  static func key(_ expression: String, isDescending: Bool) -> String

  /// Returns the end of a statement that leaves out rows of its start, and those beyond a limit.
  static func window(
    limit: Int?, offset: Int, _ parameters: inout SQLParameters<Self>
  ) -> String

  /// Returns a figure over the rows of a statement, whose result has the form that its rows' values
  /// have; an average is a real.
  ///
  /// Sums and averages of decimals are not asked for.
  static func figure(_ figure: SQLFigure, of expression: String, _ form: Cell.Form) -> String
}

/// A figure over all rows of a statement.
package enum SQLFigure {
  case sum, average, minimum, maximum
}

/// The sizes up to which a statement is written as plain SQL.
///
/// The rest of a statement takes a part, too, so that the limits are lower than an engine's own.
package struct SQLLimits: Sendable {
  /// The number of tables that are joined to one.
  package var joins: Int
  package var parameters: Int
  /// The number of bytes of all leaves.
  package var bytes: Int
  /// The number of keys of an order.
  package var keys: Int
  /// The depth of the parser's stack.
  package var stack: Int
  /// The height of an expression.
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
