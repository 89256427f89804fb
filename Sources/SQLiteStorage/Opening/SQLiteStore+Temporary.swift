import Foundation
public import ObjectGraph

extension SQLiteStore {
  /// Opens an empty store for tests and previews. Its rows are lost when the store is closed or
  /// released.
  ///
  /// Use it instead of a `MemoryStore` in tests of code that runs statements in SQL:
  ///
  /// ```swift
  /// let store = try await SQLiteStore.temporary([Card.self, Deck.self])
  /// ```
  ///
  /// The store is a file in a new folder in the system's folder for temporary files. Closing the
  /// store deletes the folder. Rejected: a database of SQLite in memory. It has no write-ahead log, so
  /// a context that has read would keep all others from saving.
  ///
  /// - Complexity: Linear in the number of entities and properties.
  public static func temporary(
    _ entities: [any Entity.Type], options: StoreOptions = StoreOptions()
  ) async throws -> SQLiteStore {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "lineage-store-\(UUID().uuidString)")
    do {
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      let store = try await open(at: folder.appending(path: "store"), entities, options: options)
      store.deleteAtEnd(folder)
      return store
    } catch {
      try? files.removeItem(at: folder)
      throw error
    }
  }
}
