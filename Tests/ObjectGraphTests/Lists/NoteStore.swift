import LineageTestSupport
import ObjectGraph

extension Stores {
  /// Opens an empty store of notes that counts its reads, and creates a root context on it.
  func notes() async throws -> (store: CountingStore, context: ObjectContext) {
    let store = CountingStore(try await open([Note.self, Topic.self]).store)
    return (store, store.makeContext())
  }
}

extension ObjectContext {
  /// Inserts a new note for each letter.
  func insert(letters: String) throws {
    for letter in letters { try insert(Note(String(letter), weight: 1)) }
  }
}
