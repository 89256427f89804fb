import LineageTestSupport
import ObjectGraph

extension Subject {
  /// Returns the values of an object as plain numbers.
  func row(of value: any Entity) -> Row {
    func number(_ key: Int64?) -> Int { key.map { (numbers[$0] ?? 99) + 1 } ?? 0 }
    switch value {
    case let card as Card:
      return [
        Alphabet.number(card.question), card.rightCount, number(card.deck?.key),
        number(card.next?.key),
      ]
    case let deck as Deck: return [Alphabet.number(deck.name), number(deck.shelf?.key)]
    case let shelf as Shelf: return [Alphabet.number(shelf.name)]
    case let learner as Learner:
      return [Alphabet.number(learner.name), number(learner.favourite?.key)]
    case let tally as Tally: return [Alphabet.number(tally.name), tally.saves]
    case let slip as Slip: return [slip.position, number(slip.tally?.key), number(slip.card?.key)]
    default: return []
    }
  }

  /// Returns the value of an object as an entity.
  func value(_ kind: Kind, _ row: Row) -> any Entity {
    func key(_ field: Int) -> Int64? { row[field] == 0 ? nil : self.key(row[field] - 1) }
    // A slip begins with a position, which is no text.
    var text: String { Alphabet.text(row[0]) }
    switch kind {
    case .card:
      var card = Card(text, rightCount: row[1])
      card.deck = key(2).map { Ref(key: $0) }
      card.next = key(3).map { Ref(key: $0) }
      return card
    case .deck:
      var deck = Deck(text)
      deck.shelf = key(1).map { Ref(key: $0) }
      return deck
    case .shelf: return Shelf(text)
    case .learner:
      var learner = Learner(text)
      learner.favourite = key(1).map { Ref(key: $0) }
      return learner
    case .tally:
      var tally = Tally(text)
      tally.saves = row[1]
      return tally
    case .slip:
      var slip = Slip()
      slip.position = row[0]
      slip.tally = key(1).map { Ref(key: $0) }
      slip.card = key(2).map { Ref(key: $0) }
      return slip
    }
  }

  /// Returns a context's object with a number; nil if there is none.
  func find(_ number: Int, _ context: ObjectContext) throws -> GraphObject? {
    let key = key(number)
    switch kinds[number] {
    case .card: return try context.find(Ref<Card>(key: key))
    case .deck: return try context.find(Ref<Deck>(key: key))
    case .shelf: return try context.find(Ref<Shelf>(key: key))
    case .learner: return try context.find(Ref<Learner>(key: key))
    case .tally: return try context.find(Ref<Tally>(key: key))
    case .slip: return try context.find(Ref<Slip>(key: key))
    case nil: return nil
    }
  }

  /// Returns the decision of the policy that combines both sides of a conflict.
  func decide(_ conflict: Conflict) -> ConflictPolicy.Decision {
    guard let number = numbers[conflict.object.key], let kind = kinds[number] else { return .mine }
    switch Oracle.ending(.resolve, number) {
    case .error, .mine: return .mine
    case .theirs: return .theirs
    case .value:
      let row = Oracle.combined(kind, row(of: conflict.mine), conflict.theirs.map(row(of:)))
      return .value(value(kind, row))
    }
  }
}
