import Lineage
import LineageTerminal

/// The action that shows a sentence to the user, until the next key.
struct Sentence: Sendable { let text: String }

/// The action of a screen that saves what must not be saved twice. The state is then stored at once.
/// Otherwise, a kill within 0.25 s would bring back the screen as it was before.
struct StoreSaved: Sendable {}

/// A controller that fills the terminal. A screen presents the screen on top of it, so that all of
/// them come back at the next launch. They need no code for that but their kinds.
class Screen: Controller {
  init(_ identifier: String?, views: [ViewResponder] = []) {
    super.init()
    restorationIdentifier = identifier
    attempt { for view in views { try append(view) } }
    // The screens below are covered, so they get no keys.
    block(ActionHandler<Key>.self)
  }

  override func didAttach() { attempt { try application?.makeFirst(focus) } }

  var title: String { "" }
  /// The responder that gets the keys first when the screen appears: the first view, if there is one.
  final var focus: Responder { children.first { $0 is ViewResponder } ?? self }

  /// Draws the content into the given rows.
  func draw(in frame: inout Frame, rows: Range<Int>) {}

  /// Goes back to the screen below. If there is a sentence, the user sees it there.
  final func close(_ sentence: String? = nil) {
    if let sentence { send(Sentence(text: sentence)) }
    removeFromParent()
  }

  /// Returns the context of the screen. Throws while the store is not open.
  final func context() throws -> ObjectContext { try require(ObjectContext.self) }

  /// Deletes an object from the store, so that it can be put back.
  final func delete<Value: Entity>(_ object: Object<Value>) throws {
    try require(Trash.self).take(object, from: context())
  }
}

extension Responding where Self: Responder {
  /// Does something for a key. The words for it are shown at the bottom of the frame.
  func onKey(
    _ key: Key, _ words: String = "", when isEnabled: ((Self) -> Bool)? = nil,
    _ act: @escaping (Self) throws -> Void
  ) {
    offer(key, words, key: key.name, when: isEnabled, act)
  }

  /// Does something with an object, as long as there is one.
  func onKey<Value>(
    _ key: Key, _ words: String, for object: @escaping (Self) -> Value?,
    _ act: @escaping (Self, Value) throws -> Void
  ) {
    onKey(key, words, when: { object($0) != nil }) { me in
      if let object = object(me) { try act(me, object) }
    }
  }
}

/// A screen that shows a deck, and leaves when the deck is deleted, here or by another program.
class DeckScreen: Screen {
  @Restorable("deck", keeping: \.name) final private(set) var deck: Object<Deck>?

  init(_ identifier: String, _ deck: Object<Deck>?, views: [ViewResponder] = []) {
    super.init(identifier, views: views)
    self.deck = deck
    $deck.onEnd { (screen: DeckScreen) in screen.leave() }
  }

  /// Leaves, but not before the form on top of this screen, whose text would be lost.
  private func leave() {
    guard deck?.isDeleted != false else { return }  // it is back
    guard let form = presented else { return close("“\($deck.kept ?? "")” was deleted meanwhile.") }
    form.onDetach = { [weak self] _ in self?.task { $0.leave() } }
  }

  override var title: String { $deck.kept ?? "" }
}
