public import Foundation
public import ObjectGraph

extension SQLiteStore {
  /// Opens a file, or makes it; throws `OpeningError` when there is no store to use.
  ///
  /// Checks, migrations and waits happen elsewhere than on the caller's isolation. Cancelling the
  /// task ends them and leaves the file as it was.
  public static func open(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    migrations: [Migration] = [], progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async throws -> SQLiteStore {
    let opening = await opening(
      at: url, entities, options: options, migrations: migrations, progress: progress)
    guard let store = opening.store else {
      if case .cancelled = opening { throw CancellationError() }
      if case .failed(let error) = opening, case .schema = error.reason { throw error }
      throw OpeningError(url: url, opening: opening)
    }
    return store
  }

  /// Opens a file, or makes it, and says what became of it.
  public static func opening(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    migrations: [Migration] = [], progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async -> Opening {
    await onOwnThread { cancellation in
      Opener.open(url, entities, options, migrations, cancellation, progress ?? { _ in })
    }
  }
}

/// How far an opening has come.
public struct OpeningProgress: Sendable, Hashable {
  /// What is being done, as a migration names it.
  public let step: String
  /// The number of the step, from one.
  public let number: Int
  /// How many steps there are.
  public let count: Int
}
