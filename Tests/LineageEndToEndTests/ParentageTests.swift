import Foundation
import Lineage
import LineageTestSupport
import Testing

/// The data from which a test rebuilds one responder: its name, its slots and the responders below
/// it.
///
/// The type uses only the public interface, so an application could write it. ``init(_:)`` reads a
/// responder, and ``rebuild()`` makes one, for instance in the closure of
/// `Application.launch(restore:)`.
private struct Record: Codable {
  enum Word: Codable {
    case root
    case branch(BranchPolicy)
    case block
  }

  let name: String
  let isView: Bool
  let slots: [String: Word]
  let below: [Record]

  /// Creates the data of a responder by the public interface of the tree.
  init(_ responder: Responder) {
    name = responder.debugName ?? ""
    isView = responder is ViewResponder
    let root = (responder as? Controller)?.rootView
    below = ([root].compactMap { $0 as Responder? } + responder.children).map { Record($0) }
    var slots: [String: Word] = [:]
    for slot in responder.slotSummaries {
      switch slot.kind {
      case .value, .pending, .failed: slots["\(slot.key)"] = .root
      case .branch(let policy): slots["\(slot.key)"] = .branch(policy)
      case .block: slots["\(slot.key)"] = .block
      }
    }
    self.slots = slots
  }

  /// Makes the responders below this one, then this one. Its slots are set before it is attached.
  func rebuild() throws -> Responder {
    let below = try below.map { try $0.rebuild() }
    let responder: Responder = isView ? Page(name) : Screen(name)
    for (key, word) in slots { try say(word, key, responder) }
    for child in below {
      if let view = child as? ViewResponder, let screen = responder as? Controller {
        try screen.setRootView(view)
      } else {
        try responder.append(child)
      }
    }
    return responder
  }

  private func say(_ word: Word, _ key: String, _ responder: Responder) throws {
    func say<K: ContextKey>(_ key: K.Type) throws where K.Value == Notebook {
      switch word {
      case .root: throw Mishap("A context cannot be kept.")
      case .branch(let policy): responder.branch(key, policy)
      case .block: responder.block(key)
      }
    }
    switch key {
    case "Notebook": try say(Notebook.self)
    case "Archive": try say(Archive.self)
    default: throw Mishap("unknown key \(key)")
    }
  }
}

@Suite("The promise", .hangGuard)
@MainActor
struct ParentageTests {
  /// Builds a tree with branches of both policies, a second key and a block.
  private func original(_ strategy: Strategy) throws -> Application {
    let application = Application(strategy: strategy)
    application.provide(Notebook("root"))
    let deck = Screen("deck")
    let card = Screen("card")
    let front = Page("front")
    let back = Page("back")
    try application.append(deck)
    try deck.append(card)
    try card.setRootView(front)
    try front.append(back)
    let list = Page("list")
    try deck.setRootView(list)
    deck.branch(Notebook.self, .keep)
    card.branch(Notebook.self, .follow)
    back.block(Archive.self)
    front.branch(Archive.self)
    return application
  }

  /// Returns a line for each responder: its path, its notebook with all parents, and its archive.
  private func parentage(_ application: Application) -> [String] {
    application.descendants.map { responder in
      var names: [String] = []
      var notebook = responder.context(Notebook.self)
      while let current = notebook {
        names.append(current.name)
        notebook = current.parent
      }
      let archive = responder.resolve(Archive.self)
      return "\(responder.path): \(names.joined(separator: " < ")), archive \(archive)"
    }
  }

  private func bottom(of application: Application) throws -> Responder {
    guard let bottom = application.descendants.first(where: { $0.debugName == "back" }) else {
      throw Mishap("The view is not there.")
    }
    return bottom
  }

  private func saved(_ application: Application) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(application.children.map { Record($0) })
  }

  @Test(
    "A tree rebuilt bottom-up while its root is loading has the same parentage",
    arguments: Strategy.allCases, Strategy.allCases)
  func promise(_ before: Strategy, _ after: Strategy) async throws {
    let first = try original(before)
    let expected = parentage(first)
    #expect(expected.contains { $0.contains("root/1/1 < root/1 < root") })
    let data = try saved(first)

    let second = Application(strategy: after)
    let gate = Gate()
    second.load(Notebook.self) {
      await gate.pass()
      return Notebook("root")
    }
    let records = try JSONDecoder().decode([Record].self, from: data)
    try second.launch { application in
      for record in records { try application.append(record.rebuild()) }
    }
    let bottom = try bottom(of: second)
    #expect(bottom.resolve(Notebook.self).description == "pending")
    await gate.open()
    _ = try await bottom.context(whenReady: Notebook.self)
    #expect(parentage(second) == expected)
    #expect(try saved(second) == data)
  }

  @Test("After a failed load and a retry the parentage is the same", arguments: Strategy.allCases)
  func retry(_ strategy: Strategy) async throws {
    let first = try original(strategy)
    let expected = parentage(first)
    let data = try saved(first)

    let second = Application(strategy: strategy)
    let log = Log()
    second.load(Notebook.self) { throw Mishap("no disk") }
    for record in try JSONDecoder().decode([Record].self, from: data) {
      try second.append(record.rebuild())
    }
    let bottom = try bottom(of: second)
    let token = log.observe(bottom, Notebook.self)
    do {
      _ = try await bottom.context(whenReady: Notebook.self)
      Issue.record("The load did not fail.")
    } catch {
      #expect(error as? Mishap == Mishap("no disk"))
    }
    #expect(bottom.resolve(Notebook.self).description == "failed: no disk")
    second.load(Notebook.self) { Notebook("root") }
    _ = try await bottom.context(whenReady: Notebook.self)
    #expect(parentage(second) == expected)
    #expect(
      log.lines == [
        "back pending", "back failed: no disk", "back pending", "back value root/1/1",
      ])
    withExtendedLifetime(token) {}
  }
}
