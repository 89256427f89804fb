/// A numbered step that updates older files to a newer schema.
///
/// ```swift
/// Migration(to: 2, "split names") { file in
///   try file.execute("ALTER TABLE Person ADD COLUMN family TEXT")
///   for row in try file.rows("SELECT id, name FROM Person") { … }
/// }
/// ```
///
/// All steps, and the changes that the schema makes by itself, happen in one transaction. If a step
/// throws or the program is killed, the file stays as it was. New entities, new properties, indexes
/// and `formerly:` need no step.
public struct Migration: Sendable {
  /// The schema's version after the step. A program's first schema has version 1.
  public let version: Int
  /// The step's name, as progress and results show it.
  public let name: String
  let body: @Sendable (MigrationContext) throws -> Void

  /// Creates a step to a version.
  public init(
    to version: Int, _ name: String, _ body: @escaping @Sendable (MigrationContext) throws -> Void
  ) {
    self.version = version
    self.name = name
    self.body = body
  }
}
