/// A numbered step that updates older stores to a newer schema.
///
/// ```swift
/// Migration(to: 2, "split names") { file in
///   try file.execute("ALTER TABLE Person ADD COLUMN family TEXT")
///   for row in try file.rows("SELECT id, name FROM Person") { … }
/// }
/// ```
///
/// All steps run in one transaction, together with the changes that need no step. If a step throws
/// or the program is killed, the store is unchanged. New entities, new properties, indexes and
/// `formerly:` need no step.
public struct Migration: Sendable {
  /// The version of the schema after the step. A program's first schema has version 1.
  public let version: Int
  /// The name of the step in progress reports and results.
  public let name: String
  let body: @Sendable (MigrationContext) throws -> Void

  /// Creates a step that leads to a version of the schema.
  public init(
    to version: Int, _ name: String, _ body: @escaping @Sendable (MigrationContext) throws -> Void
  ) {
    self.version = version
    self.name = name
    self.body = body
  }
}
