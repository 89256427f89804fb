import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

/// Two processes, one after the other. Each has a chain of contexts, whose unsaved changes are kept.
final class Restart {
  /// The unsaved changes of a context at one moment, as an archive has them.
  struct Kept {
    let edits: [KeptEdit]
    let id: UUID
    let count: Int64

    init(_ context: ObjectContext) throws {
      edits = context.keptEdits
      (id, count) = try #require(context.keeping)
    }
  }

  let opened: OpenStore
  /// The contexts, from the root down.
  private(set) var contexts: [ObjectContext] = []
  /// The number of times that the last context has said that its changes may be others.
  private(set) var told = 0

  /// Creates the first process. The store has a card "a" with the count 1.
  init(_ stores: Stores, depth: Int = 2) async throws {
    opened = try await stores.open(Library.entities + [Account.self, Tally.self, Slip.self])
    let first = opened.makeContext()
    try first.insert(Card("a", rightCount: 1))
    try first.save()
    makeContexts(depth)
  }

  var root: ObjectContext { contexts[0] }
  /// The lowest context.
  var child: ObjectContext { contexts[contexts.count - 1] }

  private func makeContexts(_ depth: Int) {
    contexts = [opened.makeContext()]
    while contexts.count < depth { contexts.append(child.makeChild()) }
    for context in contexts { context.keepEdits {} }
    child.keepEdits { [weak self] in self?.told += 1 }
  }

  /// Returns the first card of a context.
  func card(in context: ObjectContext) throws -> Object<Card> {
    try #require(try context.fetch(Card.self, sort: { $0.question }).first)
  }

  /// Commits a change of another context.
  func commit(_ change: (ObjectContext, Object<Card>) throws -> Void) throws {
    let other = opened.makeContext()
    try change(other, try card(in: other))
    try other.save()
  }

  func archive() throws -> [Kept] { try contexts.map(Kept.init) }

  /// Ends the first process. The contexts of the second one replay the changes of an archive, by
  /// default of the newest one.
  @discardableResult
  func restart(
    from archive: [Kept]? = nil, _ prepare: () throws -> Void = {}
  ) async throws -> [ReplayOutcome] {
    let archive = try archive ?? self.archive()
    for context in contexts { context.onError = { _ in } }
    contexts = []
    try await opened.reopen()
    makeContexts(archive.count)
    try prepare()
    told = 0
    return try zip(contexts, archive).map { context, kept in
      let outcome = try context.replay(kept.edits, of: kept.id, count: kept.count)
      #expect(context.keeping?.id == kept.id)
      return outcome
    }
  }

  /// Returns the values of a question in a new context.
  func stored<Result>(_ question: (ObjectContext) throws -> Result) throws -> Result {
    try question(opened.makeContext())
  }
}

/// An account, whose password is never archived.
struct Account: Entity {
  var name = ""
  var password = "none"
  var tokens: [String] = []

  static let schema = Schema<Account>("Account") {
    Attribute("name", \.name)
    Attribute("password", \.password, inState: false)
    Attribute("tokens", json: \.tokens, inState: false)
  }
}
