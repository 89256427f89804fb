import Lineage
import LineageTestSupport
import Testing

extension ArticleTests {
  final class SearchScreen: Controller {
    private(set) var found: LiveList<Card>?
    var text = "" { didSet { found?.request = request } }
    private var request: FetchRequest<Card> {
      FetchRequest(where: { $0.question.contains(text, .caseInsensitive) }, sort: { $0.question })
    }

    override init() {
      super.init()
      onChange(of: ObjectContext.self) { screen, context in
        screen.attempt {
          screen.found = try context.value.map {
            try LiveList(screen.request, in: $0, loading: .elsewhere)
          }
        }
      }
    }

    var title: String {
      guard let found else { return "not open yet" }
      return found.isComplete ? "\(found.count) cards" : "\(found.count) cards so far"
    }
  }

  @Test("Lists that load elsewhere")
  func searching() async throws {
    let (_, context, card) = try filled()
    for number in 0..<1_000 { try context.insert(Card(question: "\(number) + 1?")) }
    try context.save()
    let (application, screen) = (Application(), SearchScreen())
    try application.append(screen)
    #expect(screen.title == "not open yet")
    screen.text = "="
    screen.text = ""
    application.provide(context)
    let list = try #require(screen.found)
    #expect(screen.title == "0 cards so far")
    var titles: [String] = []
    application.onTurn { [screen] _ in titles.append(screen.title) }

    let token = list.observe { list, changes in
      print(changes.insertions.count, "more of", list.isComplete ? "" : "at least", list.count)
    }
    await application.settle()

    #expect(screen.title == "1001 cards" && titles.count > 2)
    screen.text = "2 + 2"
    #expect(screen.title == "1001 cards so far" && list.position(of: card) != nil)
    await application.settle()
    #expect(screen.title == "1 cards" && list[0] === card)
    token.cancel()
  }
}
