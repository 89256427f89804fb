import Foundation
import Lineage
import LineageTestSupport
import Testing

// The programs of README.md, copied exactly except for their indentation; `print` fills a transcript.
// README: begin 0
private struct Theme: Context { var name: String }
@MainActor private func lookUp(_ print: @escaping (Any...) -> Void) throws -> String {
  let application = Application(), list = Controller(), editor = Controller()
  (list.debugName, editor.debugName) = ("list", "editor")
  try list.append(editor)  // built bottom-up: nothing is handed down
  try application.append(list)
  application.provide(Theme(name: "light"))  // set high in the tree
  print(try editor.require(Theme.self).name)  // found from anywhere below
  let token = editor.observe(Theme.self) { _, theme in print("now", theme.value?.name ?? "none") }
  list.provide(Theme(name: "dark"))  // another one for this subtree
  print(application.dump())
  print(editor.explain(Theme.self))
  return withExtendedLifetime(token) { application.mermaid() }
}
// README: end
// README: begin 1
private struct Card: Entity {
  var question = "", rightCount = 0
  static let schema = Schema<Card>("Card") {
    Attribute("question", \.question)
    Attribute("rightCount", \.rightCount)
  }
}
@MainActor private func edit(_ print: @escaping (Any...) -> Void) async throws -> URL {
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

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: root.appending(path: name), encoding: .utf8)
  }

  /// Returns the blocks of code in README.md of a language.
  private static func blocks(_ language: String) throws -> [String] {
    try text("README.md").components(separatedBy: "```").enumerated()
      .filter { !$0.offset.isMultiple(of: 2) && $0.element.hasPrefix(language + "\n") }
      .map { String($0.element.dropFirst(language.count)) }
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  private static func words(_ text: String) -> Int {
    text.split(whereSeparator: \.isWhitespace).count
  }

  @Test("Its programs are the ones compiled here, and are short", arguments: [(0, 12), (1, 25)])
  func program(_ number: Int, _ limit: Int) throws {
    let block = try Self.blocks("swift")[number]
    #expect(Self.lines(block).count <= limit)
    let written = Self.lines(block).filter { !$0.hasPrefix("import ") }
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let here = try #require(
      source.components(separatedBy: "// README: begin \(number)\n").dropFirst().first?
        .components(separatedBy: "// README: end").first)
    let frame = ["@MainActor func ", "return withExtendedLifetime"]
    let compiled = Self.lines(here.replacingOccurrences(of: "private ", with: ""))
      .filter { line in !frame.contains { line.hasPrefix($0) } }
    #expect(written == compiled.dropLast())
  }

  @Test("Its first program prints what it says")
  func firstOutput() throws {
    var transcript: [String] = []
    let drawing = try lookUp { items in
      transcript.append(items.map { "\($0)" }.joined(separator: " "))
    }
    #expect(drawing.contains("Controller #quot;editor#quot;"))
    #expect(transcript.flatMap(Self.lines) == Self.lines(try Self.blocks("")[0]))
  }

  @Test("Its second program prints what it says, also when it is run again")
  func secondOutput() async throws {
    for _ in 0..<2 {
      var transcript: [String] = []
      let file = try await edit { items in
        transcript.append(items.map { "\($0)" }.joined(separator: " "))
      }
      defer {
        for suffix in ["", "-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: file.path + suffix)
        }
      }
      #expect(transcript.flatMap(Self.lines) == Self.lines(try Self.blocks("")[1]))
    }
  }

  @Test("Its moving picture is there, and small")
  func movie() throws {
    let path = "Sources/Lineage/Lineage.docc/Resources/flashcards.svg"
    #expect(try Self.text("README.md").contains("](\(path))"))
    #expect(try Self.text(path).utf8.count <= 200_000)
  }

  @Test("Its first screen and the two documents are short")
  func short() throws {
    let readme = try Self.text("README.md")
    let screen = try #require(readme.components(separatedBy: "```").first)
    #expect(Self.words(screen) <= 120)
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 221)
    #expect(Self.words(try Self.text("DesignNotes.md")) <= 3500)
  }
}
