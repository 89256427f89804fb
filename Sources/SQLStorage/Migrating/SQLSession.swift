package import ObjectGraph

/// A store's connection while its schema changes, inside a transaction.
package protocol SQLSession {
  /// Runs one statement with values; or several without.
  func execute(_ sql: String, _ values: [StoredValue]) throws

  /// Returns all rows of one statement.
  func rows(_ sql: String, _ values: [StoredValue]) throws -> [[StoredValue]]

  /// Returns the tables as they are, without the store's own.
  ///
  /// Only the program knows what its columns mean: where a column has the wanted type, the wanted
  /// shape's word is taken.
  func shape(like wanted: SchemaShape) throws -> SchemaShape

  /// Gives a table another shape and keeps its rows' values in the columns that the new shape has.
  func bring(_ table: TableShape, from old: TableShape, _ attempted: String) throws

  /// Does one step of what a schema asks for by itself.
  func perform(_ action: SchemaPlan.Action) throws
}
