public import Foundation
public import ObjectGraph
public import ResponderChain
public import SQLiteStorage

extension Application {
  /// Opens a store in a file on another thread, and provides the store's root context.
  ///
  /// The function returns at once, and the context is pending until the store is open. Responders
  /// resolve, observe or wait for `ObjectContext`, and for ``StoreOpening`` to show the progress. A
  /// failed opening leaves the tree usable; the action ``RetryOpening``, sent from any responder,
  /// tries again. Opening another store replaces the root context. Each branch then follows the new
  /// context or keeps the old one, as it was declared.
  ///
  /// ``openStore(at:_:)`` does this for a store of any kind.
  public final func openStore(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    migrations: [Migration] = []
  ) {
    openStore(at: url) { progress in
      try await SQLiteStore.open(
        at: url, entities, options: options, migrations: migrations, progress: progress
      ).makeContext()
    }
  }
}

extension ObjectContext {
  /// The store in a file to which the context, or the root above it, saves; nil for another kind of
  /// store. It is Sendable, for background work, checks and backups.
  public var sqliteStore: SQLiteStore? { root.store as? SQLiteStore }
}
