public import Foundation
public import ObjectGraph
public import SQLStorage

extension SQLiteStore {
  /// Opens a store's file, or makes the file if there is none. Throws an `OpeningError` if the
  /// opening gives no store.
  ///
  /// Checks, migrations and waits do not block the caller's isolation. If the task is cancelled,
  /// they end early and the file stays as it was.
  ///
  /// - Complexity: Independent of the number of rows, except in two cases. After a program was
  ///   killed or crashed, a check reads the whole file. Some migrations rewrite a table.
  public static func open(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    migrations: [Migration] = [], progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async throws -> SQLiteStore {
    try await opening(
      at: url, entities, options: options, migrations: migrations, progress: progress
    ).opened(at: url)
  }

  /// Opens a store's file, or makes the file if there is none. Returns the store, or the reason why
  /// there is no store.
  ///
  /// - Complexity: As for ``open(at:_:options:migrations:progress:)``.
  public static func opening(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    migrations: [Migration] = [], progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async -> Opening<SQLiteStore> {
    await opening(
      at: url, entities, options: options, limits: FileLimits(), migrations: migrations,
      progress: progress)
  }

  /// Opens a file with the given limits for its size. Only tests set other limits than the
  /// defaults.
  package static func opening(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    limits: FileLimits, migrations: [Migration] = [],
    progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async -> Opening<SQLiteStore> {
    await onOwnThread { cancellation in
      do {
        let migrator = Migrator(
          try Model(entities), migrations, cancellation: cancellation,
          progress: progress ?? { _ in })
        return try Opener(url, options, limits, migrator).run()
      } catch let refusal as Refusal {
        return refusal.opening.refusing()
      } catch is CancellationError {
        return .cancelled
      } catch {
        return .failed(error as? GraphError ?? GraphError("open", .other("\(error)")))
      }
    }
  }
}
