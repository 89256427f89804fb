import Foundation
import ResponderChain
import TestSupport
import Testing

/// Compiles small programs against the built module, as a client's compiler would.
@Suite("What must not compile does not", .timeLimit(.minutes(2)))
struct CompileFailTests {
  struct Program: Sendable, CustomTestStringConvertible {
    let name: String
    let good: String
    let bad: String
    let message: String

    var testDescription: String { name }
  }

  private static let preamble = """
    import ResponderChain
    struct Theme: Context, Equatable, Sendable { var ink = "black" }
    final class Book: Context { var pages = 0 }

    """

  static let programs = [
    Program(
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
    Program(
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
    Program(
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
    Program(
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
    Program(
      name: "a class that is not final as its own key",
      good: "class Account {}\nenum AccountKey: ContextKey { typealias Value = Account }",
      bad: "class Account: Context {}",
      message: "Account"),
    Program(
      name: "a branch of a context that cannot branch",
      good: "func use(_ view: View) { view.block(Theme.self) }",
      bad: "func use(_ view: View) { view.branch(Theme.self) }",
      message: "'BranchingContext'"),
  ]

  @Test("The good twin compiles and the bad one is refused", arguments: programs)
  func twins(_ program: Program) throws {
    let good = try compile(Self.preamble + program.good)
    #expect(good.status == 0, "\(good.output)")
    let bad = try compile(Self.preamble + program.bad)
    #expect(bad.status != 0)
    #expect(bad.output.contains("error:"))
    #expect(bad.output.contains(program.message), "\(bad.output)")
  }

  /// Checks one source file and returns what the compiler says.
  private func compile(_ source: String) throws -> (status: Int32, output: String) {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lineage-compile-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("Client.swift")
    try Data(source.utf8).write(to: file)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library",
      "-I", try modules().path, file.path,
    ]
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// The folder of the modules that this test was built with.
  private func modules() throws -> URL {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    var folder = program.deletingLastPathComponent()
    while folder.path != "/" {
      let modules = folder.appendingPathComponent("Modules")
      let module = modules.appendingPathComponent("ResponderChain.swiftmodule")
      if FileManager.default.fileExists(atPath: module.path) { return modules }
      folder = folder.deletingLastPathComponent()
    }
    throw Mishap("No module ResponderChain was found above \(program.path).")
  }
}
