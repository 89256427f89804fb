public import Foundation
public import ObjectGraph
public import ResponderChain
public import SQLiteStorage

extension Application {
  /// Opens a store in a file elsewhere and provides its root context, which is pending until it is
  /// there.
  ///
  /// The application goes on at once; responders resolve, observe or wait for `ObjectContext`, and
  /// for ``StoreOpening`` if they want to show how far it is. A failed opening leaves the tree
  /// usable; the action ``RetryOpening``, sent from anywhere, tries again. Opening another store
  /// replaces the root context: branches follow or are kept as they declare.
  ///
  /// ``openStore(at:_:)`` does the same for a store of any kind.
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
  /// The store in a file that the context, or the root above it, works on: for background work,
  /// checks and backups. It may cross to other isolations.
  public var sqliteStore: SQLiteStore? { root.store as? SQLiteStore }
}
