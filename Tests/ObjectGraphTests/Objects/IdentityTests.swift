import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Identity")
struct IdentityTests {
  @Test("One row is one object in a context, two in parent and child", arguments: Stores.all)
  func oneObject(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let card = try context.insert(Card("2 + 2?"))
    #expect(try context.find(card.id) === card)
    try context.save()
    let found = try context.fetch(Card.self, where: { $0.question == "2 + 2?" })
    #expect(found.count == 1 && found.first === card)
    #expect(try context.object(with: card.id) === card)
    #expect(try context.object(at: context.uri(of: card)) === card)

    let child = context.makeChild()
    let copy = try #require(try child.fetch(Card.self).first)
    #expect(copy !== card)
    #expect(copy.id == card.id)
    #expect(try child.find(card.id) === copy)
    #expect(copy.context === child && card.context === context)
  }

  @Test("An object fetched again after nobody held it is an equal one", arguments: Stores.all)
  func again(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let id = try context.insert(Card("2 + 2?")).id
    try context.save()
    weak let first = try context.find(id)
    #expect(first == nil)
    #expect(try context.object(with: id).question == "2 + 2?")
  }

  @Test("The id and URI made in a grandchild last through three saves", arguments: Stores.all)
  func permanent(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let child = root.makeChild()
    let grandchild = child.makeChild()
    let card = try grandchild.insert(Card("new"))
    let deck = try grandchild.insert(Deck("Sums"))
    card.deck = deck
    let uri = try grandchild.uri(of: card)
    for level in [grandchild, child, root] {
      let here = try level.object(with: card.id)
      #expect(try level.uri(of: here) == uri)
      #expect(here.deck?.id == deck.id)
      try level.save()
    }
    try await opened.reopen()
    let later = opened.makeContext()
    let found = try #require(try later.object(at: uri) as? Object<Card>)
    #expect(found.id == card.id && found.question == "new" && found.deck?.name == "Sums")
  }

  @Test("A URI that leads nowhere says why", arguments: Stores.all)
  func nowhere(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let card = try context.insert(Card("gone soon"))
    try context.save()
    let uri = try context.uri(of: card)
    func at(_ text: String) -> String? {
      refusal { try context.object(at: #require(URL(string: text))) }
    }
    let store = context.storeID
    #expect(at("lineage://\(store)/Card/12345") == "deleted")
    #expect(at("lineage://\(store)/Car/12345") == "unknownEntity")
    #expect(at("lineage://elsewhere/Card/12345") == "wrongStore")
    let error = #expect(throws: GraphError.self) {
      try context.object(at: #require(URL(string: "lineage://elsewhere/Card/12345")))
    }
    #expect("\(try #require(error))".contains("store elsewhere, but this is store \(store)"))
    for text in [
      "http://a/b/c", "lineage://\(store)/Card", "lineage://\(store)/Card/x",
      "lineage://\(store)/Card/-5", "lineage://\(store)/Card/0", "lineage:Card/5",
      "lineage://\(store)/Card/99999999999999999999", "lineage://\(store)/Card/5/6",
    ] {
      #expect(at(text) == "notAURI", "\(text)")
    }
    try context.delete(card)
    #expect(at(uri.absoluteString) == "deleted")
    try context.save()
    #expect(at(uri.absoluteString) == "deleted")
    #expect(refusal { try context.uri(of: Object(Card())) } == nil)
  }

  @Test("Entities and properties are named in letters of any alphabet", arguments: Stores.all)
  func letters(_ stores: Stores) async throws {
    let opened = try await stores.open([Größe.self])
    let context = opened.makeContext()
    let one = try context.insert(Größe())
    try context.save()
    let uri = try context.uri(of: one)
    #expect(try opened.makeContext().object(at: uri).isDeleted == false)
    let found = try context.fetch(Größe.self, where: { $0.höhe == 0 }, sort: { $0.höhe })
    #expect(found == [one])
  }
}

private struct Größe: Entity {
  var höhe = 0
  static let schema = Schema<Größe>("Größe") { Attribute("höhe", \.höhe) }
}
