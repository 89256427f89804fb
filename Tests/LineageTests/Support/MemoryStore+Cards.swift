import Lineage
import TestSupport

extension MemoryStore {
  /// A library with one saved card.
  convenience init(card question: String) throws {
    try self.init(Library.entities)
    let context = makeContext()
    try context.insert(TestSupport.Card(question))
    try context.save()
  }
}
