import ObjectGraph

/// An open file as its readers use it.
final class OpenFile: Sendable {
  let model: Model
  let tables: [FileTable]
  let pool: Pool
  /// The steps that one read may take; nil without limit.
  let readLimit: Int?
  private let schema: SchemaWatch

  init(
    _ pool: Pool, _ model: Model, _ tables: [FileTable], readLimit: Int?, _ schema: SchemaWatch
  ) {
    self.pool = pool
    self.model = model
    self.tables = tables
    self.readLimit = readLimit
    self.schema = schema
  }

  /// Returns what SQLite said while something was read in the graph's words; a table or column that is
  /// missing may have been there before another process migrated the file.
  func error(_ fault: Fault, _ attempted: String) -> GraphError {
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
