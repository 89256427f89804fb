public import Foundation
public import ObjectGraph
public import SQLStorage

extension SQLiteStore {
  /// Opens a file, or makes it. Throws an `OpeningError` if there is no store to use.
  ///
  /// Checks, migrations and waits do not block the caller's isolation. If the task is cancelled,
  /// they end and the file stays as it was.
  ///
  /// - Complexity: Independent of the number of rows. Only a check after an unclean end reads the
  ///   whole file, and some migrations rewrite a table.
  public static func open(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    migrations: [Migration] = [], progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async throws -> SQLiteStore {
    try await opening(
      at: url, entities, options: options, migrations: migrations, progress: progress
    ).opened(at: url)
  }

  /// Opens a file, or makes it, and returns the result.
  ///
  /// - Complexity: As ``open(at:_:options:migrations:progress:)``.
  public static func opening(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    migrations: [Migration] = [], progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async -> Opening<SQLiteStore> {
    await opening(
      at: url, entities, options: options, limits: FileLimits(), migrations: migrations,
      progress: progress)
  }

  /// Opens a file with other limits for its size, for tests.
  package static func opening(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    limits: FileLimits, migrations: [Migration] = [],
    progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async -> Opening<SQLiteStore> {
    await onOwnThread { cancellation in
      Opener.open(url, entities, options, limits, migrations, cancellation, progress ?? { _ in })
    }
  }
}
