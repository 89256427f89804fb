import Lineage
import LineageTestSupport

extension MemoryStore {
  /// Creates a store of the entities in `Library`, with one saved card.
  convenience init(card question: String) throws {
    try self.init(Library.entities)
    let context = makeContext()
    try context.insert(LineageTestSupport.Card(question))
    try context.save()
  }
}
