import Lineage
import LineageTerminal

/// A controller that fills the terminal. A screen presents the screen on top of it, so that all of
/// them come back at the next launch without code.
class Screen: Controller {
  /// A key, the words for it at the bottom of the frame, and what it does.
  typealias Binding = (key: Key, words: String, act: () throws -> Void)

  init(_ identifier: String?, views: [ViewResponder] = []) {
    super.init()
    restorationIdentifier = identifier
    attempt { for view in views { try append(view) } }
    on(Key.self) { screen, key in
      guard let binding = screen.bindings.first(where: { $0.key == key }) else {
        // The screens below are covered, so they get no keys. The application gets these three.
        return ["?", .control("c"), .control("z")].contains(key) ? .declined : .handled
      }
      screen.attempt(binding.act)
      return .handled
    }
  }

  /// The keys that work now.
  var bindings: [Binding] { [] }
  var title: String { "" }
  /// The view that gets the keys first; nil if the screen has none.
  var focus: ViewResponder? { children.first as? ViewResponder }

  /// Draws the content into the given rows.
  func draw(in frame: inout Frame, rows: Range<Int>) {}

  /// Goes back to the screen below.
  final func close() { removeFromParent() }

  /// Ends the program. The screens come back at the next launch.
  final func quit() { application?.terminate() }

  /// Returns the context of the screen. Throws while the store is not open.
  final func context() throws -> ObjectContext { try require(ObjectContext.self) }

  /// The key that puts back the last deletion, if there is one.
  final var undo: [Binding] {
    guard let trash = context(Trash.self), !trash.isEmpty else { return [] }
    return [("u", "undo", { try trash.putBack(into: self.context()) })]
  }
}

/// A screen that shows a deck.
class DeckScreen: Screen {
  @Restorable("deck") final private(set) var deck: Object<Deck>?
  /// The name of the deck, for the time before the store is open.
  @Restorable("name") private var name = ""

  init(_ identifier: String, _ deck: Object<Deck>?, views: [ViewResponder] = []) {
    super.init(identifier, views: views)
    (self.deck, name) = (deck, deck?.name ?? "")
  }

  /// Whether the deck was deleted, here or by another program.
  final var isGone: Bool { context(ObjectContext.self) != nil && deck?.isDeleted != false }

  override var title: String { isGone ? "\(name) (deleted)" : deck?.name ?? name }
}
