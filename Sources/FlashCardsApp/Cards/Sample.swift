import Lineage

extension ObjectContext {
  /// Saves a deck with a few cards, for somebody who wants to look around first.
  func addSample() throws {
    let cards = [
      ("the tree", "el árbol"), ("the leaf", "la hoja"), ("the root", "la raíz"),
      ("the branch", "la rama"), ("the chain", "la cadena"), ("the child", "la niña, el niño"),
    ]
    try edit { context in
      let deck = try context.insert(Deck(name: "Spanish, a sample"))
      for (question, answer) in cards {
        try context.insert(Card(question: question, answer: answer, deck: deck.id))
      }
    }
  }
}
