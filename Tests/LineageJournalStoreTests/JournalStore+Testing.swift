import Foundation
import LineageJournalStore
import ObjectGraph

extension JournalStore {
  /// Opens a store on a journal.
  ///
  /// - Throws: The reason why the store cannot be opened.
  static func open(
    _ journal: Journal, _ entities: [any Entity.Type]
  ) async throws -> JournalStore {
    try await opening(of: journal, entities).opened(at: URL(filePath: "/journal"))
  }

  /// Opens two stores on one journal, like two programs that use one server.
  static func two(
    of journal: Journal, _ entities: [any Entity.Type]
  ) async throws -> (JournalStore, JournalStore) {
    (try await open(journal, entities), try await open(journal, entities))
  }
}
