import ObjectGraph

/// The store while a step of a migration works on it.
///
/// Afterwards the tables must fit the program's schema: columns may be missing or nullable, that is
/// mended; but none may be left over.
public final class MigrationContext {
  private let session: any SQLSession

  init(_ session: any SQLSession) { self.session = session }

  /// Runs one statement, for whose values `?1`, `?2` … stand; or several without values.
  public func execute(_ sql: String, _ values: [SQLValue] = []) throws {
    try session.execute(sql, values.map(\.stored))
  }

  /// Returns all rows of one statement, by the columns' places.
  public func rows(_ sql: String, _ values: [SQLValue] = []) throws -> [[SQLValue]] {
    try session.rows(sql, values.map(\.stored)).map { $0.map(SQLValue.init) }
  }

  /// Gives an entity another name; references to it follow.
  public func renameEntity(_ name: String, to new: String) throws {
    for column in try shape(name).columns where column.hasIndex {
      try execute("DROP INDEX \(quoted("\(name).\(column.name)"))")
    }
    try execute("ALTER TABLE \(quoted(name)) RENAME TO \(quoted(new))")
  }

  /// Gives a property another name.
  public func renameProperty(_ property: String, of entity: String, to new: String) throws {
    try execute("DROP INDEX IF EXISTS \(quoted("\(entity).\(property)"))")
    try execute(
      "ALTER TABLE \(quoted(entity)) RENAME COLUMN \(quoted(property)) TO \(quoted(new))")
  }

  /// Forgets an entity and all its objects.
  public func removeEntity(_ name: String) throws {
    try execute("DROP TABLE \(quoted(name))")
  }

  /// Forgets a property and all its values.
  public func removeProperty(_ property: String, of entity: String) throws {
    let old = try shape(entity)
    guard old.column(property) != nil else {
      throw GraphError("remove \(entity).\(property)", .notFound("property \(entity).\(property)"))
    }
    var shape = old
    shape.columns.removeAll { $0.name == property }
    try session.bring(shape, from: old, "remove \(entity).\(property)")
  }

  private func shape(_ entity: String) throws -> TableShape {
    let shape = try session.shape(like: SchemaShape(tables: []))
    guard let table = shape.table(entity) else {
      throw GraphError("migrate \(entity)", .unknownEntity(entity))
    }
    return table
  }
}
