import Foundation
import Lineage

/// The library with a file of SQLite, used as its documentation shows.
final class LineageStore: ObjectPlayerStore {
  static let name = "Lineage"

  let store: SQLiteStore

  private init(_ store: SQLiteStore) { self.store = store }

  static func open(_ file: URL) async throws -> LineageStore {
    LineageStore(try await SQLiteStore.open(at: file, [Player.self]))
  }

  func close() { store.close() }
}
