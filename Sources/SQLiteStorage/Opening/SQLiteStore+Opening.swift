public import Foundation
public import ObjectGraph
public import SQLStorage

extension SQLiteStore {
  /// Opens a file, or makes it; throws `OpeningError` when there is no store to use.
  ///
  /// Checks, migrations and waits happen elsewhere than on the caller's isolation. Cancelling the
  /// task ends them and leaves the file as it was.
  public static func open(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    migrations: [Migration] = [], progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async throws -> SQLiteStore {
    try await opening(
      at: url, entities, options: options, migrations: migrations, progress: progress
    ).opened(at: url)
  }

  /// Opens a file, or makes it, and says what became of it.
  public static func opening(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    migrations: [Migration] = [], progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async -> Opening<SQLiteStore> {
    await opening(
      at: url, entities, options: options, limits: FileLimits(), migrations: migrations,
      progress: progress)
  }

  /// Opens a file that is kept to other sizes, for tests.
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
