import Foundation
import Lineage
import LineageTestSupport
import Testing

/// Tests of two versions of a small app. In one, screens are notified of their context; in the
/// other, screens look up their context when they need it.
@Suite("The two ways of finding the context", .hangGuard)
@MainActor
struct WaysTests {
  /// A screen of the app. Its log must be equal in both versions of the app.
  class Screen: Controller {
    var log: [String] = []
    var list: LiveList<LineageTestSupport.Card>?
    var token: ObjectObservation?

    func show(_ context: ObjectContext?) throws {
      token = nil
      list = try context.map {
        try LiveList(FetchRequest<LineageTestSupport.Card>(sort: { $0.question }), in: $0)
      }
      token = list?.observe { [weak self] list, _ in self?.note(list) }
      list.map { note($0) }
      if list == nil { log.append("no cards") }
    }

    private func note(_ list: LiveList<LineageTestSupport.Card>) {
      log.append(list.map(\.question).joined(separator: ", "))
    }
  }

  /// A screen that is notified when its context is set or replaced.
  final class PushedScreen: Screen {
    override init() {
      super.init()
      watch(ObjectContext.self)
    }

    override func contextDidChange(_ key: any ContextKey.Type) {
      attempt { try show(context(ObjectContext.self)) }
    }
  }

  /// A screen that looks up its context when the user looks at it.
  final class AskingScreen: Screen {
    func userLooks() {
      let context = context(ObjectContext.self)
      if context !== list?.context { attempt { try show(context) } }
    }
  }

  private func run(_ screen: Screen, _ strategy: Strategy) throws -> [String] {
    func look() { (screen as? AskingScreen)?.userLooks() }
    let application = Application(strategy: strategy)
    let first = try MemoryStore(Library.entities).makeContext()
    let deck = Controller()
    let editor = Controller()
    try application.append(deck)
    try deck.append(screen)
    try deck.append(editor)
    editor.branch(ObjectContext.self)
    application.provide(first)
    look()
    let draft = try editor.require(ObjectContext.self)
    try draft.insert(LineageTestSupport.Card("b"))
    try draft.insert(LineageTestSupport.Card("a"))
    try editor.withdraw(ObjectContext.self, unsaved: .save)
    try first.save()
    let second = try MemoryStore(Library.entities).makeContext()
    try second.insert(LineageTestSupport.Card("other store"))
    application.provide(second)
    look()
    _ = application.expect(ObjectContext.self)
    look()
    second.discard()
    return screen.log
  }

  @Test("Handed down or looked up, a screen shows the same", arguments: Strategy.allCases)
  func same(_ strategy: Strategy) throws {
    let expected = ["", "a, b", "other store", "no cards"]
    #expect(try run(PushedScreen(), strategy) == expected)
    let asked = AskingScreen()
    #expect(try run(asked, strategy) == expected)
  }

  @Test(
    "An error travels to the nearest responder that handles errors", arguments: Strategy.allCases)
  func failures(_ strategy: Strategy) throws {
    let application = Application(strategy: strategy)
    let deck = Controller()
    let editor = Controller()
    try application.append(deck)
    try deck.append(editor)
    let context = try MemoryStore(Library.entities).makeContext()
    deck.provide(context)
    var heard: [String] = []
    application.onFailure { _, failure in
      heard.append("application: \(failure.error) at \(failure.origin.debugLabel)")
      return .handled
    }
    deck.onFailure { _, failure in
      guard let error = failure.error as? GraphError, case .invalid = error.reason else {
        return .declined
      }
      heard.append("deck: invalid")
      return .handled
    }
    try context.insert(LineageTestSupport.Card("forbidden"))
    #expect(editor.attempt { try context.save() } == nil)
    #expect(editor.attempt { throw Mishap("no disk") } == Never?.none)
    #expect(heard.first == "deck: invalid")
    #expect(heard.count == 2 && heard[1].contains("no disk at Controller"))
    context.discard()
  }
}
