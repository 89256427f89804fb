import Foundation
import Lineage
import LineageTestSupport
import Testing

@Suite("Replacing the root: log out, log in", .hangGuard)
@MainActor
struct RootTests {
  @Test(
    "Branches follow or are kept as declared; unsaved edits are reported and never lost",
    arguments: Strategy.allCases)
  func branches(_ strategy: Strategy) throws {
    let ada = try MemoryStore(card: "ada's")
    let bob = try MemoryStore(card: "bob's")
    let application = Application(strategy: strategy)
    var drifts: [String] = []
    application.onDrift = { drift in
      drifts.append("\(drift.responder.debugName ?? "") \(drift.policy)")
    }
    func screen(_ name: String, _ policy: BranchPolicy) throws -> Controller {
      let screen = Controller()
      screen.debugName = name
      screen.branch(ObjectContext.self, policy)
      try application.append(screen)
      return screen
    }
    let first = ada.makeContext()
    application.provide(first)
    let clean = try screen("clean", .follow)
    let dirty = try screen("dirty", .follow)
    let kept = try screen("kept", .keep)
    let unused = try screen("unused", .keep)
    for screen in [clean, dirty, kept] {
      #expect(try screen.require(ObjectContext.self).parent === first)
    }
    let edited = try dirty.require(ObjectContext.self)
    let card = try #require(try edited.fetch(LineageTestSupport.Card.self).first)
    card.question = "half typed"

    let second = bob.makeContext()
    application.provide(second)
    #expect(try clean.require(ObjectContext.self).parent === second)
    #expect(try unused.require(ObjectContext.self).parent === second)
    #expect(try kept.require(ObjectContext.self).parent === first)
    #expect(try dirty.require(ObjectContext.self) === edited)
    #expect(card.question == "half typed")
    #expect(drifts.sorted() == ["dirty follow", "kept keep"])

    try edited.saveAll()
    application.drain()
    #expect(try dirty.require(ObjectContext.self).parent === second)
    #expect(
      try ada.makeContext().values(LineageTestSupport.Card.self).map(\.question) == ["half typed"])
    #expect(try bob.makeContext().values(LineageTestSupport.Card.self).map(\.question) == ["bob's"])
  }

  @Test("A context that is provided no longer hears of its store through the tree no longer")
  func leaves() throws {
    let store = try MemoryStore(card: "old")
    let application = Application()
    let context = store.makeContext()
    application.provide(context)
    let card = try #require(try context.fetch(LineageTestSupport.Card.self).first)
    application.drain()
    try application.withdraw(ObjectContext.self)
    let other = store.makeContext()
    try other.object(with: card.id).question = "new"
    try other.save()
    application.drain()
    #expect(card.question == "old")
    // When the context is attached again, also bottom-up, it receives the news that it missed.
    let controller = Controller()
    controller.provide(context)
    try application.append(controller)
    application.drain()
    #expect(card.question == "new")
  }

  @Test("A branch stays for edits further below", arguments: Strategy.allCases)
  func editsBelow(_ strategy: Strategy) throws {
    let (ada, bob) = (try MemoryStore(card: "ada's"), try MemoryStore(card: "bob's"))
    let application = Application(strategy: strategy)
    var drifts: [String] = []
    application.onDrift = { drifts.append($0.responder.debugName ?? "") }
    let (outer, inner) = (Controller(), Controller())
    (outer.debugName, inner.debugName) = ("outer", "inner")
    for controller in [outer, inner] { controller.branch(ObjectContext.self) }
    let first = ada.makeContext()
    application.provide(first)
    try application.append(outer)
    try outer.append(inner)
    try inner.require(ObjectContext.self).fetch(LineageTestSupport.Card.self)[0].question =
      "half typed"

    application.provide(bob.makeContext())
    #expect(try outer.require(ObjectContext.self).parent === first)
    #expect(drifts == ["outer"])
    #expect(throws: UnsavedChanges.self) { try outer.withdraw(ObjectContext.self) }
    // Each level is saved separately, as buttons on the screens would do.
    try inner.leave(.save)
    #expect(try outer.require(ObjectContext.self).parent === first)
    try outer.require(ObjectContext.self).saveAll()
    #expect(
      try ada.makeContext().values(LineageTestSupport.Card.self).map(\.question) == ["half typed"])
    #expect(try outer.require(ObjectContext.self).parent !== first)
    #expect(try bob.makeContext().values(LineageTestSupport.Card.self).map(\.question) == ["bob's"])
  }

  @Test("Explanations and drift show the names of contexts", arguments: Strategy.allCases)
  func names(_ strategy: Strategy) throws {
    let store = try MemoryStore(card: "card")
    let application = Application(strategy: strategy)
    var drifts: [String] = []
    application.onDrift = { drifts.append($0.context) }
    let controller = Controller()
    controller.branch(ObjectContext.self)
    let root = store.makeContext()
    root.name = "main"
    application.provide(root)
    try application.append(controller)
    #expect(
      application.explain(ObjectContext.self).outcome
        == #"a value (ObjectContext "main"), provided by Application"#)
    let editing = try controller.require(ObjectContext.self)
    #expect(
      controller.explain(ObjectContext.self).outcome
        == "a value, a child made by the branch of Controller")
    editing.name = "editing"
    #expect(
      controller.explain(ObjectContext.self).outcome
        == #"a value (ObjectContext "editing"), a child made by the branch of Controller"#)
    try editing.fetch(LineageTestSupport.Card.self)[0].question = "half typed"
    application.provide(store.makeContext())
    #expect(drifts == [#"ObjectContext "editing""#])
    editing.discard()
  }

  @Test("A branch that is replaced over edits further below says so", arguments: Strategy.allCases)
  func replacedOverEditsBelow(_ strategy: Strategy) throws {
    let store = try MemoryStore(card: "card")
    let application = Application(strategy: strategy)
    var drifts: [String] = []
    application.onDrift = { drifts.append("\($0.hasEnded) \($0)") }
    let (outer, inner) = (Controller(), Controller())
    for controller in [outer, inner] { controller.branch(ObjectContext.self) }
    application.provide(store.makeContext())
    try application.append(outer)
    try outer.append(inner)
    let editing = try inner.require(ObjectContext.self)
    try editing.fetch(LineageTestSupport.Card.self)[0].question = "half typed"

    outer.provide(store.makeContext())
    let ended = try #require(drifts.first)
    #expect(ended.hasPrefix("true The branch ObjectContext of Controller in Application has ended"))
    #expect(ended.hasSuffix("although there are unsaved changes in it or below it."))
    #expect(
      drifts.count == 2 && drifts[1].hasPrefix("false The branch ObjectContext of Controller"))
    // Code that retains the child can still save it.
    try editing.saveAll()
    #expect(
      try store.makeContext().values(LineageTestSupport.Card.self).map(\.question) == ["half typed"]
    )
  }
}
