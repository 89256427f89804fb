import Foundation
import Lineage
import Testing

extension ArticleTests {
  @Test("Reading by SQL")
  func readingBySQL() async throws {
    let store = try await SQLiteStore.temporary([Card.self, Deck.self])
    let context = store.makeContext()
    let deck = try context.insert(Deck(name: "Sums"))
    try context.insert(Deck(name: "Empty"))
    for count in 0..<12 {
      let card = try context.insert(Card(question: "\(count)?", rightCount: count))
      card.deck = deck
      card.due = Date(timeIntervalSinceNow: count < 3 ? -60 : 60)
    }
    try context.save()
    let isNewestFirst = context.parent == nil
    var printed: [String] = []
    func print(_ question: String, _ count: Int) { printed.append("\(question) \(count)") }

    let now = Date()
    for (question, count) in try context.rows(
      "select question, rightCount from Card where due < \(now)", String.self, Int.self)
    {
      print(question, count)
    }
    #expect(printed == ["0? 0", "1? 1", "2? 2"])

    struct Total: Decodable {
      var deck: String
      var cards: Int
    }

    let totals = try context.rows(
      """
      select d.name as deck, count(*) as cards from \(Deck.self) d
        join \(Card.self) c on c.\(\Card.deck) = d.id
        group by d.id order by d.name
      """, as: Total.self)
    #expect(totals.map(\.deck) == ["Sums"] && totals.map(\.cards) == [12])

    let some = try context.objects(
      Card.self, "select id from \(Card.self) where deck = \(deck) order by random() limit 10")
    #expect(some.count == 10 && some.allSatisfy { $0.deck === deck })

    let order: SQL = isNewestFirst ? "id desc" : "id"
    let kinds: [Card.Kind] = [.plain, .cloze]
    let ids = try context.rows(
      "select id from \(Card.self) where \(\Card.kind) in \(kinds) order by \(order)", Int.self)
    #expect(ids.count == 12 && ids == ids.sorted(by: >))

    some[0].rightCount = 100
    let error = #expect(throws: GraphError.self) {
      try context.rows("select id from Card", Int.self)
    }
    guard case .unsaved(entities: ["Card"])? = error?.reason else {
      throw Lacking("\(String(describing: error))")
    }
    #expect(try context.rows("select name from Deck where id = \(deck)", String.self) == ["Sums"])
    try context.save()
    #expect(try context.rows("select max(rightCount) from Card", Int.self) == [100])
  }
}

private struct Lacking: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
