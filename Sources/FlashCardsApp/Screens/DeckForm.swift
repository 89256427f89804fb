import Lineage

/// The form for the name of a new or an old deck.
final class DeckForm: Form {
  @Restorable("deck") private var deck: Object<Deck>?
  private let name = TextField("Name:", identifier: "name")

  init() { super.init("deck form", fields: [name]) }

  convenience init(_ deck: Object<Deck>) {
    self.init()
    (isNew, self.deck, name.text) = (false, deck, deck.name)
  }

  override var title: String { isNew ? "New deck" : "Rename deck" }

  override func write(into context: ObjectContext) throws {
    if isNew { try context.insert(Deck(name: name.text)) } else {
      try context.own(deck).name = name.text
    }
  }
}
