import Foundation
import LineageTerminal
import LineageTestSupport
import Testing

@Suite("What FlashCards reads and draws, counted", .hangGuard)
@MainActor struct CostTests {
  let drawer: Drawer
  let trace: StatementTrace

  init() throws {
    drawer = try Drawer()
    trace = StatementTrace(of: drawer.url)
  }

  /// Runs a script, as an earlier launch.
  @concurrent private static func run(_ script: String, in folder: URL) async throws {
    _ = try FlashCards.run(script, in: folder)
  }

  @Test(
    "Before the first frame, the tree runs no statement, whatever screen comes back",
    arguments: ["", "a", "a\nenter\ndown", "a\nenter\n/\ntype la", "a\nenter\nenter\ntype !"])
  func firstFrame(_ script: String) async throws {
    try await Self.run(script, in: drawer.url)
    let app = try CountedApp(in: drawer.url, trace)
    #expect(trace.take() == StatementTrace.Work())
    #expect(app.frame.text.contains("Opening the cards"))
    await app.settle()
    #expect(!trace.take().statements.isEmpty)
    #expect(!app.frame.text.contains("Opening the cards"))
    await app.end()
  }

  /// The costs of keys with a deck of some cards.
  private struct Costs {
    let open, down, pageDown, letter: CountedApp.Cost
    var all: [CountedApp.Cost] { [open, down, pageDown, letter] }
  }

  private func costs(_ cards: Int) async throws -> Costs {
    let folder = drawer.file("\(cards)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "numbers.tsv")
    let lines = (0..<cards).map { "Question \(100_000 + $0)\tAnswer \($0)\n" }
    try Data(lines.joined().utf8).write(to: file)
    try await Self.run("i\npaste \(file.path)\nenter", in: folder)
    let app = try CountedApp(in: folder, trace)
    await app.settle()
    #expect(app.frame.text.contains("› numbers"), "\(app.frame.text)")
    let open = await app.cost(of: .enter, until: "› Question 100000")
    await app.settle()
    let (down, pageDown) = (await app.cost(of: .down), await app.cost(of: .pageDown))
    _ = await app.cost(of: "/")
    let letter = await app.costAtOnce(of: "7")
    await app.settle()
    #expect(app.frame.text.contains("Question 100077"))
    #expect(!app.frame.text.contains("Question 100080"))
    await app.end()
    return Costs(open: open, down: down, pageDown: pageDown, letter: letter)
  }

  @Test("A key costs the same with 100 cards and with 10,000, and no frame counts them")
  func keys() async throws {
    let (few, many) = (try await costs(100), try await costs(10_000))
    for costs in [few, many] {
      for cost in costs.all {
        #expect(!cost.work.statements.contains { $0.lowercased().contains("count(") })
      }
    }
    #expect(many.open == few.open)
    #expect(many.down == few.down)
    #expect(many.pageDown == few.pageDown)
    #expect(many.letter == few.letter)
    // A screen of rows, and some more.
    #expect(many.open.work.rows <= 70)
    #expect(many.down.work.rows == 0 && many.pageDown.work.rows == 0)
    #expect(many.letter.work.rows == 0)
    #expect(many.down.cells < 160 && many.letter.cells < 80)
  }
}
