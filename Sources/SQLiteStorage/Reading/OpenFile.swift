import ObjectGraph

/// The part of an open store that the readers of its file use.
///
/// Readers use this part, not the store, because the store is in a layer above the readers. A
/// reader retains its store only to keep the store open.
final class OpenFile: Sendable {
  /// The names of the tables.
  let names: SQLTables
  let tables: [FileTable]
  /// The indices of the entities by the names of their tables in lower case.
  let entities: [String: Int]
  let pool: Pool
  /// The number of steps of SQLite's virtual machine that one read may take; nil for no limit.
  let readLimit: Int?
  private let schema: SchemaChangeCheck

  init(
    _ pool: Pool, _ model: Model, _ tables: [FileTable], readLimit: Int?,
    _ schema: SchemaChangeCheck
  ) {
    self.pool = pool
    names = SQLTables(model, in: SQLiteDialect.self)
    self.tables = tables
    entities = Dictionary(
      model.layouts.enumerated().map { ($1.name.foldedName, $0) },
      uniquingKeysWith: { one, _ in one })
    self.readLimit = readLimit
    self.schema = schema
  }

  /// Returns the error to throw for the fault of a read. If a table or a column may be missing, the
  /// file's schema is checked first, because another process may have migrated the file.
  func error(_ fault: SQLiteFault, _ attempted: String) -> GraphError {
    if fault.isMisunderstanding {
      do {
        try pool.with { try schema.check($0, attempted) }
      } catch let error as GraphError {
        return error
      } catch {}
    }
    return fault.error(attempted, waited: pool.timeout)
  }
}
