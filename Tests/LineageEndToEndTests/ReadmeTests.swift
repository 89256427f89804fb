import Foundation
import Lineage
import Testing

// The program of README.md, copied exactly except for its indentation; `print` fills a transcript.
// README: begin
private struct Card: Entity {
  var question = "", rightCount = 0
  static let schema = Schema<Card>("Card") {
    Attribute("question", \.question)
    Attribute("rightCount", \.rightCount)
  }
}
@MainActor private func program(_ print: @escaping (Any...) -> Void) async throws -> URL {
  let file = URL.temporaryDirectory.appending(path: "\(UUID()).sqlite")  // new in each run
  let application = Application(), deck = Controller(), editor = Controller()
  try deck.append(editor)  // built bottom-up: nothing is handed down
  editor.branch(ObjectContext.self)  // works in a child of what it inherits
  try application.append(deck)
  application.openStore(at: file, [Card.self])  // opens elsewhere, arrives later
  let context = try await deck.context(whenReady: ObjectContext.self)
  let due = FetchRequest<Card>(where: { $0.rightCount < 3 }, sort: { $0.question })
  let list = try LiveList(due, in: context)
  let token = list.observe { list, _ in print("due:", list.map(\.question)) }
  let editing = try editor.require(ObjectContext.self)
  try editing.insert(Card(question: "2 + 2?"))
  print("unsaved:", list.map(\.question), editing.parent === context)
  try editing.saveAll()
  print(editor.explain(ObjectContext.self))
  return withExtendedLifetime(token) { file }
}
// README: end

@Suite("The README")
@MainActor
struct ReadmeTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func blocks() throws -> [String] {
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    return text.components(separatedBy: "```").enumerated()
      .compactMap { $0.offset % 2 == 1 ? $0.element : nil }
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  @Test("Its program is the one compiled here, and has at most 25 lines")
  func program() throws {
    let block = try #require(try Self.blocks().first)
    let written = Self.lines(block).filter { $0 != "swift" && !$0.hasPrefix("import ") }
    #expect(Self.lines(block).count { $0 != "swift" } <= 25)
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let here = try #require(
      source.components(separatedBy: "// README: begin\n").dropFirst().first?
        .components(separatedBy: "// README: end").first)
    let frame = ["@MainActor func program(", "return withExtendedLifetime"]
    let compiled = Self.lines(here.replacingOccurrences(of: "private ", with: ""))
      .filter { line in !frame.contains { line.hasPrefix($0) } }
    #expect(written == compiled.dropLast())
  }

  @Test("Its program prints what it says, also when it is run again")
  func output() async throws {
    let said = Self.lines(try Self.blocks()[1])
    for _ in 0..<2 {
      var transcript: [String] = []
      let file = try await LineageEndToEndTests.program { items in
        transcript.append(items.map { "\($0)" }.joined(separator: " "))
      }
      defer {
        for suffix in ["", "-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: file.path + suffix)
        }
      }
      #expect(transcript.flatMap(Self.lines) == said)
    }
  }
}
