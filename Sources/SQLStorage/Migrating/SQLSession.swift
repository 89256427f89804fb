package import ObjectGraph

/// A store's connection inside the transaction that changes its schema.
package protocol SQLSession {
  /// Runs one statement with values, or several statements without values.
  func execute(_ sql: String, _ values: [StoredValue]) throws

  /// Returns all rows of one statement.
  func rows(_ sql: String, _ values: [StoredValue]) throws -> [[StoredValue]]

  /// Returns the current tables, without the tables that the store keeps for itself.
  ///
  /// The database has the type of a column, but not its meaning. If a column has the wanted type,
  /// its meaning is taken from the wanted shape.
  func shape(like wanted: SchemaShape) throws -> SchemaShape

  /// Replaces the shape of a table. Rows keep the values of the columns that the new shape has.
  func bring(_ table: TableShape, from old: TableShape, _ attempted: String) throws

  /// Performs a change that needs no step of a migration.
  func perform(_ action: SchemaPlan.Action) throws
}
