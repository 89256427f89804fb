import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Filters and requests print like the closures that made them")
struct PrintingTests {
  @Test("A request with all its parts")
  func request() {
    let request = FetchRequest<Card>(where: { $0.rightCount < 3 }, sort: { $0.question })
    #expect(
      "\(request)" == "FetchRequest<Card>(where: { $0.rightCount < 3 }, sort: { $0.question })")
    let all = FetchRequest<Card>(
      sort: {
        $0.deck.name.descending
        $0.id
      }, limit: 3, offset: 2,
      prefetch: {
        $0.deck.shelf
        $0.fans
      })
    #expect(
      "\(all)" == """
        FetchRequest<Card>(sort: { $0.deck.name.descending; $0.id }, limit: 3, offset: 2, \
        prefetch: { $0.deck.shelf; $0.fans })
        """)
    #expect("\(FetchRequest<Card>())" == "FetchRequest<Card>()")
  }

  @Test("Words, parentheses and closures")
  func words() {
    let filter = Filter<Deck> {
      ($0.name == "x\"y" || $0.cards.isEmpty) && !($0.cards.count > 3)
        && !$0.cards.contains { $0.isHard && !$0.isHard || $0.question.hasPrefix("a") }
    }
    #expect(
      "\(filter)" == #"""
        Filter<Deck> { ($0.name == "x\"y" || $0.cards.isEmpty) && !($0.cards.count > 3) && \#
        !$0.cards.contains { $0.isHard && !$0.isHard || $0.question.hasPrefix("a") } }
        """#)
    let other = Filter<Deck> { deck in
      deck.cards.allSatisfy { $0.rightCount >= 1 || .all(false) } || !(deck.name == "a" || .all())
    }
    #expect(
      "\(other)" == """
        Filter<Deck> { $0.cards.allSatisfy { $0.rightCount >= 1 || .all(false) } || \
        !($0.name == "a" || .all()) }
        """)
  }

  @Test("Values as they are written")
  func values() {
    func printed(_ filter: Filter<Sample>) -> String {
      String("\(filter)".dropFirst("Filter<Sample> { ".count).dropLast(2))
    }
    let date = Date(timeIntervalSinceReferenceDate: 1.5)
    #expect(
      printed(Filter { $0.time < date }) == "$0.time < Date(timeIntervalSinceReferenceDate: 1.5)")
    #expect(printed(Filter { $0.mood == .süß }) == #"$0.mood == Mood(rawValue: "süß")"#)
    #expect(printed(Filter { $0.maybeRank != .low }) == "$0.maybeRank != Rank(rawValue: -1)")
    #expect(printed(Filter { $0.maybeFlag == true }) == "$0.maybeFlag == true")
    #expect(printed(Filter { $0.maybeFlag == nil }) == "$0.maybeFlag == nil")
    #expect(printed(Filter { $0.flag == false }) == "$0.flag == false")
    #expect(printed(Filter { $0.price < .loose(-2, 150) }) == "$0.price < 1.5")
    #expect(printed(Filter { $0.bytes == Data([1, 2]) }) == "$0.bytes == Data([1, 2])")
    #expect(printed(Filter { $0.group == Ref(key: 7) }) == "$0.group == Group/7")
    #expect(printed(Filter { $0.id > Ref(key: 7) }) == "$0.id > Sample/7")
    #expect(printed(Filter { $0.number.isIn([1, 2]) }) == "$0.number.isIn([1, 2])")
    #expect(
      printed(Filter { $0.number.isIn(Array(0..<100)) }).hasSuffix("18, 19, … 80 more])"))
    #expect(printed(Filter { $0.number == $0.friend.number }) == "$0.number == $0.friend.number")
    #expect(
      printed(Filter { $0.text.contains("x", [.caseInsensitive, .diacriticInsensitive]) })
        == #"$0.text.contains("x", [.caseInsensitive, .diacriticInsensitive])"#)
    #expect(printed(Filter { _ in .all(false) }) == ".all(false)")
  }
}
