import Lineage
import Testing

/// The samples of the article "In a module that is on the main actor by default". This module is
/// one.
@Suite("In a module that is on the main actor by default")
struct LineageMainActorTests {
  /// A stand-in for a user interface. It is on the main actor, like all types in this module.
  final class Screen {
    static let shared = Screen()
    private(set) var lines: [String] = []

    func show(_ text: String) { lines.append(text) }
    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  struct Theme: Context, Equatable, Sendable { var ink = "black" }

  final class CardController: Controller {
    private let title: String

    init(title: String) {
      self.title = title
      super.init()
      onAttach = { _ in Screen.shared.show(title) }
      onChange(of: Theme.self) { me, theme in me.repaint(theme.value) }
    }

    @available(*, unavailable) nonisolated override init() { fatalError() }

    nonisolated override func willDetach() {
      MainActor.assumeIsolated { Screen.shared.show("\(title) leaves") }
    }

    private func repaint(_ theme: Theme?) {
      Screen.shared.show("\(title) in \(theme?.ink ?? "no ink")")
    }
  }

  nonisolated struct Style: Codable, Hashable, Sendable { var isBold = false }

  struct Card: Entity {
    var question = ""
    var style = Style()
    static let schema = Schema<Card>("Card") {
      Attribute("question", \.question)
      Attribute("style", json: \.style)
    }
  }

  @Test("A subclass with an initialiser of its own, hooks that call the user interface")
  func subclass() throws {
    let application = Application()
    application.provide(Theme())
    let controller = CardController(title: "Sums")
    try application.append(controller)
    #expect(Screen.shared.take() == ["Sums in no ink", "Sums", "Sums in black"])
    application.provide(Theme(ink: "green"))
    controller.removeFromParent()
    #expect(Screen.shared.take() == ["Sums in green", "Sums leaves", "Sums in no ink"])
  }

  @Test("An entity with a JSON value")
  func json() throws {
    let context = try MemoryStore([Card.self]).makeContext()
    let card = try context.insert(Card(question: "2 + 2?", style: Style(isBold: true)))
    try context.save()
    #expect(card.style.isBold)
  }
}
