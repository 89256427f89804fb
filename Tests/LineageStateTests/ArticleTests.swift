import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

/// A controller of the app in the article TheStateTool.
private final class DeckController: Controller {
  @Restorable("selection") var selection: Int?
  @Restorable("draft") var draft = ""
  @Restorable("due") var due: Date?
}

private final class CardController: Controller {
  @Restorable("question") var question = ""
  @Restorable("marks") var marks: [String] = []
}

@Suite("The article of the tool")
struct ArticleTests {
  private static let restored = Date(timeIntervalSinceReferenceDate: 785_719_996)

  /// Returns the app in the article TheStateTool, and its restoration.
  private static func world() throws -> (Application, Restoration) {
    let application = Application()
    let restoration = Restoration {
      Kind("deck", DeckController.init)
      Kind("card", version: 2, CardController.init)
      ContextName("cards", Notebook.self)
    }
    application.launch(restoring: restoration, from: nil)
    application.provide(Notebook("root"))
    for name in ["spanish", "chemistry"] {
      let deck = DeckController()
      deck.restorationIdentifier = name
      deck.branch(Notebook.self, .keep)
      try application.append(deck)
      deck.selection = name.count
      guard name == "spanish" else { continue }
      deck.draft = "la mariposa, half-ty"
      deck.due = restored
      for number in 0..<2 {
        let card = CardController()
        card.restorationIdentifier = "card"
        card.question = number == 0 ? "butterfly?" : String(repeating: "Why is it so? ", count: 20)
        card.marks = ["hard"]
        try deck.append(card)
      }
    }
    return (application, restoration)
  }

  /// Writes the state folder of the app in the article TheStateTool.
  private static func write(_ folder: Drawer) throws {
    let (application, restoration) = try world()
    let older = restoration.archive(of: application)
    let newer = restoration.archive(of: application)
    let quarantine = folder.file("quarantine")
    try FileManager.default.createDirectory(at: quarantine, withIntermediateDirectories: true)
    var damaged = newer.bytes
    let items = Forgery(newer.bytes).items
    for index in [2, 3] { damaged[items[index].position + Forgery.Item.headerSize + 20] ^= 4 }
    let report = """
      [
      {"appVersion":"1.4","counts":{"carried":1,"restored":4},"date":"2025-11-24T23:30:00Z",\
      "generation":2,"launch":12,"notes":[],\
      "problems":["The application was not restored: its theme is of another type."],\
      "records":[{"kind":"deck","outcome":"carried","path":["latin"],\
      "reason":"The app has no kind for it."}]}
      ]
      """
    for (bytes, name) in [
      (older.bytes, "state-0"), (newer.bytes, "state-1"), (older.bytes, "state-launch"),
      (Array(damaged), "quarantine/state-1"), (Array(report.utf8), "reports.json"),
    ] {
      let path = try folder.write(bytes, name)
      try FileManager.default.setAttributes([.modificationDate: restored], ofItemAtPath: path)
    }
  }

  @Test("Its commands print what it says")
  func outputs() throws {
    let folder = try Drawer()
    try Self.write(folder)
    let article = URL(filePath: #filePath).appending(
      path: "../../../Sources/StateRestoration/StateRestoration.docc/TheStateTool.md")
    let text = try String(contentsOf: article.standardizedFileURL, encoding: .utf8)
    let blocks = text.components(separatedBy: "```\n$ lineage-state ").dropFirst()
    #expect(blocks.count == 2)
    for block in blocks {
      let parts = try #require(block.components(separatedBy: "\n```\n").first)
        .split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      let arguments = parts[0].replacing("--app flashcards", with: folder.url.path)
        .replacing("quarantine/state-1", with: folder.file("quarantine/state-1").path)
      let result = runTool(arguments.split(separator: " ").map(String.init))
      let output = (result.output + result.errors).replacing(folder.url.path + "/", with: "")
      #expect(output == (parts.last ?? "") + "\n", "\(parts[0])\n\(output)")
    }
  }
}
