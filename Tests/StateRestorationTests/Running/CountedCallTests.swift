import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A restoration makes no more contexts and calls than its values need")
struct CountedCallTests {
  /// A controller that records the states of the notebook that its observer receives.
  private final class Listener: Controller {
    @Restorable("page") var page: PageNumber?
    private(set) var heard: [String] = []
    private var token: ContextObservation?

    init(listens: Bool) {
      super.init()
      guard listens else { return }
      token = observe(Notebook.self) { responder, state in
        switch state {
        case .value: responder.heard.append("value")
        case .pending: responder.heard.append("pending")
        default: responder.heard.append("nothing")
        }
      }
    }
  }

  private static func restoration(listens: Bool) -> Restoration {
    Restoration {
      Kind("listener") { $0.existing ?? Listener(listens: listens) }
      ContextName("notes", Notebook.self)
    }
  }

  /// Returns the archive of forty chains of three listeners. In each chain, the first two listeners
  /// have branches with the policies `follow` and `keep`. The third listener has a page.
  private static func archive() throws -> StateArchive {
    let app = Application()
    app.provide(Notebook("root"))
    for _ in 0..<40 {
      var parent: Responder = app
      for level in 0..<3 {
        let listener = Listener(listens: false)
        listener.restorationIdentifier = "listener"
        if level == 0 { listener.branch(Notebook.self) }
        if level == 1 { listener.branch(Notebook.self, .keep) }
        try parent.append(listener)
        if level == 2 { listener.page = PageNumber(notebook: "root", page: 1) }
        parent = listener
      }
    }
    let restoration = restoration(listens: false)
    let archive = restoration.archive(of: app)
    #expect(app.context(Notebook.self)?.childCount == 0, "A save makes no child.")
    #expect(restoration.report.problems == [])
    return archive
  }

  private static func listeners(_ app: Application) -> [Listener] {
    app.descendants.compactMap { $0 as? Listener }
  }

  /// The time at which the notebook becomes available.
  enum Readiness: CaseIterable { case before, late, later }

  private static func launch(
    listens: Bool, _ readiness: Readiness
  ) throws -> (Application, Restoration) {
    let app = Application()
    let delivery = readiness == .late ? app.expect(Notebook.self) : nil
    if readiness == .before { app.provide(Notebook("root")) }
    let restoration = restoration(listens: listens)
    app.launch(restoring: restoration, from: try archive())
    delivery?.deliver(Notebook("root"))
    app.drain()
    if readiness == .later { app.provide(Notebook("root")) }
    #expect(restoration.report.count(.restored) == 121)
    return (app, restoration)
  }

  @Test("A branch makes its child when a value below it is read", arguments: Readiness.allCases)
  func children(readiness: Readiness) throws {
    let (app, restoration) = try Self.launch(listens: false, readiness)
    let root = try #require(app.context(Notebook.self))
    #expect(root.childCount == 0)
    _ = restoration.archive(of: app, asksAll: false)
    _ = restoration.archive(of: app)
    _ = restoration.report.description
    #expect(root.childCount == 0)
    // The values of seven chains are read.
    for chain in app.children.prefix(7) {
      let leaf = try #require(chain.children.first?.children.first as? Listener)
      #expect(leaf.page?.page == 1)
      #expect(leaf.page?.page == 1)
      #expect(chain.context(Notebook.self)?.childCount == 1)
    }
    #expect(root.childCount == 7)
    _ = restoration.archive(of: app)
    #expect(root.childCount == 7)
  }

  @Test("An observer hears once of each context that it finds", arguments: Readiness.allCases)
  func notifications(readiness: Readiness) throws {
    let (app, _) = try Self.launch(listens: true, readiness)
    let expected: [String] =
      switch readiness {
      case .before, .later: ["nothing", "value"]
      case .late: ["nothing", "pending", "value"]
      }
    for listener in Self.listeners(app) { #expect(listener.heard == expected) }
    let root = try #require(app.context(Notebook.self))
    #expect(root.childCount == 40)
    for chain in app.children { #expect(chain.context(Notebook.self)?.childCount == 1) }
  }

  @Test("Restoring the same state again calls no observer and makes no child")
  func again() throws {
    let (app, restoration) = try Self.launch(listens: true, .before)
    let heard = Self.listeners(app).map(\.heard)
    let root = try #require(app.context(Notebook.self))
    restoration.restore(restoration.archive(of: app), into: app)
    #expect(Self.listeners(app).map(\.heard) == heard)
    #expect(root.childCount == 40)
    #expect(restoration.report.notes == [])
  }
}
