package import ObjectGraph

/// A store's connection inside the transaction that changes its schema.
package protocol SQLSession {
  /// Runs one statement with values, or several statements without values.
  func execute(_ sql: String, _ values: [StoredValue]) throws

  /// Returns all rows of one statement.
  func rows(_ sql: String, _ values: [StoredValue]) throws -> [[StoredValue]]

  /// Returns the tables as they are now, without the store's own.
  ///
  /// The database knows a column's type, but not its meaning. Where the type is the wanted one, the
  /// meaning is taken from the wanted shape.
  func shape(like wanted: SchemaShape) throws -> SchemaShape

  /// Gives a table another shape. Rows keep the values of the columns that the new shape has.
  func bring(_ table: TableShape, from old: TableShape, _ attempted: String) throws

  /// Makes one of the changes that a schema makes by itself.
  func perform(_ action: SchemaPlan.Action) throws
}
