import LineageTestSupport
import Testing

/// Tests that compile small programs against the built module, as a client does.
@Suite("What must not compile does not", .hangGuard, .callsCompiler)
struct CompileFailTests {
  private static let preamble = """
    import ResponderChain
    struct Theme: Context, Equatable, Sendable { var ink = "black" }
    final class Book: Context { var pages = 0 }

    """

  static let programs = [
    ClientCompiler.Twins(
      name: "a responder returned from an actor",
      good: """
        actor Desk {
          let application = Application()
          func theme() -> Theme? { application.context(Theme.self) }
        }
        func use(_ desk: Desk) async { _ = await desk.theme() }
        """,
      bad: """
        actor Desk {
          let application = Application()
          func leak() -> Application { application }
        }
        func use(_ desk: Desk) async { _ = await desk.leak() }
        """,
      message: "'Application'"),
    ClientCompiler.Twins(
      name: "a responder captured in a detached task and used after",
      good: """
        func use() async throws {
          let application = Application()
          let theme = application.snapshot(Theme.self)
          await Task.detached { print(theme?.ink ?? "") }.value
          application.provide(Theme())
        }
        """,
      bad: """
        func use() async throws {
          let application = Application()
          Task.detached { application.provide(Theme()) }
          application.provide(Theme())
        }
        """,
      message: "data race"),
    ClientCompiler.Twins(
      name: "a value used after it was delivered",
      good: """
        func use(_ delivery: Delivery<Book>) {
          let book = Book()
          book.pages = 1
          delivery.deliver(book)
        }
        """,
      bad: """
        func use(_ delivery: Delivery<Book>) {
          let book = Book()
          delivery.deliver(book)
          book.pages = 1
        }
        """,
      message: "sending 'book' risks causing data races"),
    ClientCompiler.Twins(
      name: "a responder that crosses to the main actor and back",
      good: """
        @MainActor func show(_ application: Application) { application.provide(Theme()) }
        func use() async { await show(Application()) }
        """,
      bad: """
        @MainActor func show(_ application: Application) { application.provide(Theme()) }
        func use() async {
          let application = Application()
          await show(application)
          application.provide(Theme())
        }
        """,
      message: "sending 'application' risks causing data races"),
    ClientCompiler.Twins(
      name: "a class that is not final as its own key",
      good: "class Account {}\nenum AccountKey: ContextKey { typealias Value = Account }",
      bad: "class Account: Context {}",
      message: "Account"),
    ClientCompiler.Twins(
      name: "a branch of a context that cannot branch",
      good: "func use(_ view: ViewResponder) { view.block(Theme.self) }",
      bad: "func use(_ view: ViewResponder) { view.branch(Theme.self) }",
      message: "'BranchingContext'"),
  ]

  @Test("The good twin compiles and the bad one is refused", arguments: programs)
  func twins(_ program: ClientCompiler.Twins) throws {
    try program.check(after: Self.preamble)
  }
}
