/// One numbered step that brings older files up to date.
public struct Migration: Sendable {
  /// The schema's version after the step; the first schema of a program has version 1.
  public let version: Int
  /// What the step does, for progress and reports.
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

/// The file while a step of a migration works on it.
public final class MigrationContext {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }
}
