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
        print(info.crash?.description ?? "Several launches have crashed.")
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
    /// Writes the guard's page. The page then says that the last process ended while `didDecode` or
    /// `onReport` ran.
    func crash() throws {
      let page = url.appending(path: "guard")
      var bytes = [UInt8](try Data(contentsOf: page))
      let word = GuardWord(.telling, GuardWord.noRecord).raw
      for index in 0..<8 {
        bytes[16 + index] = UInt8(truncatingIfNeeded: word >> UInt64(8 * index))
      }
      try Data(bytes).write(to: page)
    }
    for hasLink in [false, true] {
      try crash()
      let (application, restoration, lines) = launched(in: url, hasLink: hasLink)
      let crash = "The last launch has crashed while the application was told"
      #expect(lines == ["\(crash), in version 2.1 of the app."])
      // No record was being restored, so the guard allows the application's own record only.
      #expect(restoration.report.count(.restored) == (hasLink ? 0 : 1))
      #expect(application.children.isEmpty)
      application.terminate()
      // The launch before has not crashed, so the next launch restores all records again.
      let (again, _, _) = launched(in: url, hasLink: false)
      #expect(again.children.count == 1)
      again.terminate()
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

    #expect(page[20] == RestorationPhase.unconfirmed.rawValue)
    drawFirstFrame()
    #expect(page[16..<24].allSatisfy { $0 == 0 })
  }
}
