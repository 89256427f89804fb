import Foundation
import LineageJournalStore
import ObjectGraph

extension JournalStore {
  /// Opens a journal as the only user of its kind would.
  static func open(
    _ journal: Journal, _ entities: [any Entity.Type]
  ) async throws -> JournalStore {
    try await opening(of: journal, entities).opened(at: URL(filePath: "/journal"))
  }

  /// Opens two stores of one journal, as two programs would have them.
  static func two(
    of journal: Journal, _ entities: [any Entity.Type]
  ) async throws -> (JournalStore, JournalStore) {
    (try await open(journal, entities), try await open(journal, entities))
  }
}
