/// A piece of a statement that a program writes itself. Each store writes its own placeholders and
/// quotes.
package enum StatementPiece: Hashable, Sendable {
  case sql(String)
  /// A value, which is passed as a parameter.
  case value(StoredValue)
  /// A list of values in parentheses, each of which is passed as a parameter. If it is empty, it
  /// becomes an expression without rows that can stand after IN.
  case values([StoredValue])
  /// The name of an entity's table. The integer is the index of the entity in the model.
  case entity(Int)
  /// The name of a column, given by the entity's index and the column's.
  case column(Int, Int)
}
