import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

/// The samples of the module's page, copied exactly. No file of this folder imports a module that
/// has objects or stores, so the samples need none. `ArticleSampleTests` checks the copies and the
/// imports.
@Suite("The page of StateRestoration")
struct ArticleTests {
  @Test("A tree is restored without a store")
  func stateRestoration() throws {
    final class DeckController: Controller {
      @Restorable("selection") var selection: Int?
      @Restorable("draft") var draft = ""
    }

    final class ZoomController: Controller, StateRestoring {
      var zoom = 1.0

      func encodeRestorableState(with coder: StateEncoder) throws {
        try coder.encode(zoom, for: "zoom")
      }

      func decodeRestorableState(with coder: StateDecoder) throws {
        zoom = try coder.decode("zoom") ?? 1
      }
    }

    func makeRestoration() -> Restoration {
      Restoration {
        Kind("deck", DeckController.init)
        Kind("zoom") { request in request.existing ?? ZoomController() }
      }
    }

    func print(_ report: RestorationReport) {
      #expect(report.count(.restored) == 3)
      #expect(report.problems == [])
    }

    let application = Application()
    let deck = DeckController()
    deck.restorationIdentifier = "deck"
    try application.append(deck)
    deck.draft = "half"
    let zoom = ZoomController()
    zoom.restorationIdentifier = "zoom"
    try deck.append(zoom)
    zoom.zoom = 2

    let archive = makeRestoration().archive(of: application)

    let restoration = makeRestoration()
    let again = Application()
    again.launch(restoring: restoration, from: archive)
    print(restoration.report)

    let restored = try #require(again.children.first as? DeckController)
    #expect(restored.draft == "half")
    #expect((restored.children.first as? ZoomController)?.zoom == 2)
  }

  @Test("A program keeps its state in a folder")
  func program() throws {
    let drawer = try Drawer()
    let url = drawer.file("state")
    let first = NotesApp(stateIn: .at(url))
    first.start()
    let note = try #require(first.children.first as? NoteController)
    note.text = "half"
    first.terminate()

    let second = NotesApp(stateIn: .at(url))
    second.start()
    #expect(second.children.count == 1)
    #expect((second.children.first as? NoteController)?.text == "half")
    second.terminate()
  }

  @Test("A program keeps its state in a file of its own")
  func ownFile() throws {
    let drawer = try Drawer()
    let file = drawer.file("state")
    let application = Application()
    let restoration = Restoration { Kind("note", NoteController.init) }
    let bytes = try? Data(contentsOf: file)
    application.launch(restoring: restoration, from: bytes.map { StateArchive(bytes: $0) })
    let note = NoteController()
    note.restorationIdentifier = "note"
    try application.append(note)
    note.text = "half"

    // A newer version of the program has written it, and needs it.
    if case .newerFormat = restoration.report.archive.fault { return }
    try Data(restoration.archive(of: application).bytes).write(to: file, options: .atomic)

    let again = Application()
    let other = Restoration { Kind("note", NoteController.init) }
    again.launch(restoring: other, from: StateArchive(bytes: try Data(contentsOf: file)))
    #expect((again.children.first as? NoteController)?.text == "half")
  }

  @Test("A program brings back the screens of its last launch, and erases an account")
  func folder() throws {
    let drawer = try Drawer()
    let url = drawer.file("state")
    let arguments = ["notes", "--fresh"]

    func print(_ report: RestorationReport) { #expect(report.problems == []) }

    let restoration = Restoration(in: .at(url)) { Kind("note", NoteController.init) }
    restoration.appVersion = "2.1"
    restoration.onReport = { print($0) }
    if arguments.contains("--fresh") { restoration.erase() }
    let application = Application()
    application.launch(restoring: restoration)
    let note = NoteController()
    note.restorationIdentifier = "note"
    try application.append(note)

    try restoration.save()
    #expect(FileManager.default.fileExists(atPath: url.appending(path: "state-0").path))
    application.terminate()
  }

  @Test("A test decides when changes are saved")
  func clock() throws {
    let drawer = try Drawer()
    let url = drawer.file("state")
    do {
      let application = Application()
      let note = NoteController()
      note.restorationIdentifier = "note"
      try application.append(note)

      let clock = ManualSaveClock()
      let restoration = Restoration(in: .at(url), clock: clock) {
        Kind("note", NoteController.init)
      }
      application.launch(restoring: restoration)
      note.text = "half a sentence"
      clock.advance(by: 0.25)
      application.drain()
    }
    let again = Application()
    again.launch(restoring: Restoration(in: .at(url)) { Kind("note", NoteController.init) })
    #expect((again.children.first as? NoteController)?.text == "half a sentence")
  }
}
