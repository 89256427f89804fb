import Foundation
import Lineage
import Testing

// The README's program, to the letter but for its indentation; `print` writes into a transcript.
// README: begin
private final class Notes: BranchingContext {
  let title: String, parent: Notes?
  init(_ title: String, in parent: Notes? = nil) { (self.title, self.parent) = (title, parent) }
  func makeChild() -> Notes { Notes("draft of \(title)", in: self) }
}
private final class NoteView: View { @Inherited var notes: Notes? }

@MainActor private func program(_ print: @escaping (Any) -> Void) async throws {
  let application = Application()
  let controller = Controller(), view = NoteView()
  controller.rootView = view  // built bottom-up: nothing is handed down
  controller.branch(Notes.self)  // works in a child of what it inherits
  let token = view.observe(Notes.self) { me, notes in
    print("\(me.label): \(notes.value?.title ?? "\(notes)")")
  }
  try application.append(controller)
  application.load(Notes.self) { Notes("notebook") }  // arrives later, from anywhere
  let notes = try await view.context(whenReady: Notes.self)
  print(notes === view.notes && notes.parent === application.context(Notes.self))
  print(view.explain(Notes.self))
  token.end()
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
    let written = Self.lines(block).drop { $0 == "swift" || $0 == "import Lineage" }
    #expect(block.split(separator: "\n", omittingEmptySubsequences: false).count <= 27)
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let here = try #require(
      source.components(separatedBy: "// README: begin\n").dropFirst().first?
        .components(separatedBy: "// README: end").first)
    let compiled = Self.lines(here.replacingOccurrences(of: "private ", with: ""))
      .filter { !$0.hasPrefix("@MainActor func program") }
    #expect(Array(written) == compiled.dropLast())
  }

  @Test("Its program prints what it says")
  func output() async throws {
    var transcript: [String] = []
    try await EndToEndTests.program { transcript.append("\($0)") }
    let said = Self.lines(try Self.blocks()[1])
    #expect(transcript.flatMap(Self.lines) == said)
  }
}
