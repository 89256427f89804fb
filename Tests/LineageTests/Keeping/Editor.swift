import Foundation
import Lineage
import LineageTestSupport
import Testing

typealias EditedCard = LineageTestSupport.Card
typealias EditedDeck = LineageTestSupport.Deck

/// A controller that edits cards in a branch whose unsaved changes are kept.
final class Editor: Controller {
  @Restorable("card") var card: Object<EditedCard>?

  override convenience init() { self.init(keeps: true) }

  init(keeps: Bool) {
    super.init()
    if keeps { branch(ObjectContext.self, restoring: .edits) }
  }

  func context() throws -> ObjectContext { try require(ObjectContext.self) }

  /// The card with a question in the editor's context.
  subscript(question: String) -> Object<EditedCard>? {
    get throws { try context().fetch(EditedCard.self, where: { $0.question == question }).first }
  }
}

/// One process of an app that keeps the unsaved changes of its editors. A kill forgets the process,
/// and the next one begins with the last archive.
struct Desk {
  let app: Application
  let restoration: Restoration

  /// Launches the app with an archive. Without a store, the context is still missing.
  private init(
    _ archive: StateArchive?, _ store: (any ObjectStore)?, strategy: Strategy = .skipping,
    keeps: Bool = true, guardedIn page: URL? = nil, _ prepare: (Application) -> Void = { _ in }
  ) {
    app = Application(strategy: strategy)
    restoration = Restoration {
      Kind("editor") { request in request.existing ?? Editor(keeps: keeps) }
      ContextName.objects
    }
    if let page { restoration.guardCrashes(in: page) }
    if let store { app.provide(ObjectContext(store: store)) }
    prepare(app)
    app.launch(restoring: restoration, from: archive)
  }

  /// Runs a process from a launch to a kill, with a closure. Without an archive, it is the first one.
  @discardableResult
  static func run<Result>(
    _ archive: StateArchive? = nil, on store: (any ObjectStore)?, strategy: Strategy = .skipping,
    keeps: Bool = true, guardedIn page: URL? = nil, _ prepare: (Application) -> Void = { _ in },
    _ body: (Desk) throws -> Result
  ) throws -> Result {
    let desk = Desk(archive, store, strategy: strategy, keeps: keeps, guardedIn: page, prepare)
    defer { withExtendedLifetime(desk.app) {} }
    return try body(desk)
  }

  /// Runs a process that a test can wait for.
  nonisolated(nonsending) static func run<Result>(
    _ archive: StateArchive? = nil, _ prepare: (Application) -> Void,
    _ body: (Desk) async throws -> Result
  ) async throws -> Result {
    let desk = Desk(archive, nil, prepare)
    defer { withExtendedLifetime(desk.app) {} }
    return try await body(desk)
  }

  /// Opens an editor below another one, or below the application.
  @discardableResult
  func open(_ name: String, below parent: Responder? = nil, keeps: Bool = true) throws -> Editor {
    let editor = Editor(keeps: keeps)
    editor.restorationIdentifier = name
    editor.restorationKind = "editor"
    try (parent ?? app).append(editor)
    return editor
  }

  /// Returns the editor at a path of identifiers.
  func editor(_ path: String...) throws -> Editor {
    var node: Responder? = app
    for name in path { node = node?.children.first { $0.restorationIdentifier == name } }
    return try #require(node as? Editor)
  }

  /// The archive after a save of what has changed.
  var archive: StateArchive { restoration.archive(of: app, asksAll: false) }
  var root: ObjectContext { get throws { try app.require(ObjectContext.self) } }
  var notes: [String] { restoration.report.notes }
}

/// Returns a store with a card.
func storeWithCard(_ id: String = "store") throws -> MemoryStore {
  let store = try MemoryStore(Library.entities, id: id)
  let context = store.makeContext()
  try context.insert(EditedCard("a", rightCount: 1))
  try context.save()
  return store
}

/// Commits a change of the card by somebody else.
func commit(_ store: any ObjectStore, _ change: (ObjectContext, Object<EditedCard>) throws -> Void)
  throws
{
  let other = ObjectContext(store: store)
  try change(other, try #require(try other.fetch(EditedCard.self).first))
  try other.save()
}
