/// One numbered step that brings older files up to date.
///
/// ```swift
/// Migration(to: 2, "split names") { file in
///   try file.execute("ALTER TABLE Person ADD COLUMN family TEXT")
///   for row in try file.rows("SELECT id, name FROM Person") { … }
/// }
/// ```
///
/// All steps and what the schema adds by itself happen in one transaction: a step that throws, or a
/// program that is killed, leaves the file as it was. New entities, new properties, indexes and
/// `formerly:` need no step.
public struct Migration: Sendable {
  /// The schema's version after the step; the first schema of a program has version 1.
  public let version: Int
  /// The step's name, for progress and reports.
  public let name: String
  let body: @Sendable (MigrationContext) throws -> Void

  /// A step to a version.
  public init(
    to version: Int, _ name: String, _ body: @escaping @Sendable (MigrationContext) throws -> Void
  ) {
    self.version = version
    self.name = name
    self.body = body
  }
}
