import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

extension ArticleTests {
  @Test("A launch after a crash hears of it")
  func crashGuard() throws {
    func launched(
      in url: URL, hasLink: Bool
    ) -> (Application, Restoration, [String]) {
      var lines: [String] = []
      func print(_ line: String) { lines.append(line) }

      let restoration = Restoration(in: .at(url)) { Kind("note", NoteController.init) }
      restoration.appVersion = "2.1"
      restoration.ask = { info in
        guard info.reason == .recover else { return .all }
        print(info.crash?.description ?? "Several launches have ended.")
        return hasLink ? .nothing : .all
      }
      let application = Application()
      application.launch(restoring: restoration)
      return (application, restoration, lines)
    }

    let drawer = try Drawer()
    let url = drawer.file("state")
    do {
      let (application, _, lines) = launched(in: url, hasLink: false)
      #expect(lines == [])
      let note = NoteController()
      note.restorationIdentifier = "note"
      try application.append(note)
      application.terminate()
    }
    /// Writes the guard's page. The page then says that a number of launches have ended while
    /// `onReport` ran.
    func crash(_ count: Int) throws {
      let page = url.appending(path: "guard")
      var bytes = [UInt8](try Data(contentsOf: page))
      var book = try #require(FoundStrikes(bytes)?.book)
      for _ in 1..<count { _ = book.begin(version: "2.1", lastEnd: .reported) }
      let launch = withUnsafeBytes(of: book.launch.littleEndian) { Array($0) }
      bytes.replaceSubrange(16..<32, with: [4, 0, 0, 0, 0, 0, 0, 0] + launch)
      for offset in FoundStrikes.bookOffsets {
        bytes.replaceSubrange(offset..<offset + book.encoded.count, with: book.encoded)
      }
      try Data(bytes).write(to: page)
    }
    for number in 1...3 {
      try crash(number)
      let (application, restoration, lines) = launched(in: url, hasLink: number == 3)
      let crash = "The last launch has ended while it was given the report"
      #expect(lines == ["\(crash), in version 2.1 of the app."])
      // After two such ends, only the application's own record is restored.
      #expect(restoration.report.count(.restored) == 3 - number)
      #expect(application.children.count == (number == 1 ? 1 : 0))
      application.terminate()
    }
  }

  @Test("A launch is confirmed by the first frame")
  func confirmation() throws {
    let drawer = try Drawer()
    let url = drawer.file("state")
    let restoration = Restoration(in: .at(url)) {}
    let application = Application()
    var page: [UInt8] = []
    func drawFirstFrame() {
      page = (try? [UInt8](Data(contentsOf: url.appending(path: "guard")))) ?? []
    }

    restoration.awaitsConfirmation = true
    application.launch(restoring: restoration)
    drawFirstFrame()
    restoration.confirmRestoration()

    #expect(page[16] == UInt8(StrikePlace.unconfirmed.number))
    drawFirstFrame()
    #expect(page[16..<24].allSatisfy { $0 == 0 })
  }
}
