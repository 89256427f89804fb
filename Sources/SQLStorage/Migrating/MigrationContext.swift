public import ObjectGraph

/// The access of a migration's step to the store's tables.
///
/// After the last step, the tables must fit the program's schema, with two exceptions. A column may
/// be missing, and a column may allow null although the schema does not. The store then adds the
/// column, or makes it NOT NULL. No table or column may be left that only the older schema has.
public final class MigrationContext {
  private let session: any SQLSession

  init(_ session: any SQLSession) { self.session = session }

  /// Runs one statement with values for `?1`, `?2` and so on, or several statements without values.
  ///
  /// - Complexity: That of the statements in the database.
  public func execute(_ sql: String, _ values: [StoredValue] = []) throws {
    try session.execute(sql, values)
  }

  /// Returns all rows of one statement, each as the values of its columns in order.
  ///
  /// - Complexity: O(rows) of memory, because all rows are in memory together.
  public func rows(_ sql: String, _ values: [StoredValue] = []) throws -> [[StoredValue]] {
    try session.rows(sql, values)
  }

  /// Renames an entity, also in the references to it. The entity's indexes are created again after
  /// the last step.
  ///
  /// - Complexity: No row is rewritten. Each index costs O(objects of the entity).
  public func renameEntity(_ name: String, to new: String) throws {
    try dropIndexes(of: name) { _ in true }
    try execute("ALTER TABLE \(quoted(name)) RENAME TO \(quoted(new))")
  }

  /// Renames a property.
  ///
  /// - Complexity: No row is rewritten. An index of the property costs O(objects of the entity).
  public func renameProperty(_ property: String, of entity: String, to new: String) throws {
    try dropIndexes(of: entity) { $0.properties.contains(property) }
    try execute("ALTER TABLE \(quoted(entity)) RENAME COLUMN \(quoted(property)) TO \(quoted(new))")
  }

  /// Removes an entity and all its objects.
  ///
  /// - Complexity: O(objects of the entity).
  public func removeEntity(_ name: String) throws {
    try execute("DROP TABLE \(quoted(name))")
  }

  /// Removes a property and all its values.
  ///
  /// - Complexity: O(objects of the entity), because SQLite writes the table again.
  public func removeProperty(_ property: String, of entity: String) throws {
    let old = try shape(entity)
    guard old.column(property) != nil else {
      throw GraphError("remove \(entity).\(property)", .notFound("property \(entity).\(property)"))
    }
    var shape = old
    shape.columns.removeAll { $0.name == property }
    shape.wideIndexes.removeAll { $0.properties.contains(property) }
    try session.bring(shape, from: old, "remove \(entity).\(property)")
  }

  private func dropIndexes(of entity: String, where isUnwanted: (IndexShape) -> Bool) throws {
    for index in try shape(entity).allIndexes where isUnwanted(index) {
      try session.perform(.dropIndex(table: entity, index))
    }
  }

  private func shape(_ entity: String) throws -> TableShape {
    let shape = try session.shape(like: SchemaShape(tables: []))
    guard let table = shape.table(entity) else {
      throw GraphError("migrate \(entity)", .unknownEntity(entity))
    }
    return table
  }
}
