import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The state in a folder")
struct FolderTests {
  let drawer: Drawer

  init() throws { drawer = try Drawer() }

  var folder: URL { drawer.file("state") }

  @Test("What was there at the end of one launch is there in the next")
  func roundTrip() throws {
    do {
      let world = StoredWorld(folder)
      try world.screen("one").change("first")
      world.app.terminate()
    }
    let again = StoredWorld(folder)
    #expect(again.notes == ["one": "first"])
    #expect(again.restoration.report.problems == [])
    again.restoration.finishWriting()
    #expect(try names(in: folder) == ["reports.json", "state-0"])
  }

  @Test("A change is saved a quarter of a second later, into the other file")
  func autosave() throws {
    let world = StoredWorld(folder)
    let screen = try world.screen("one")
    screen.change("first")
    try world.restoration.save()
    let before = try Data(contentsOf: folder.appending(path: "state-0"))
    screen.change("second")
    world.pass()
    world.restoration.finishWriting()
    let after = try Data(contentsOf: folder.appending(path: "state-0"))
    #expect(after == before)
    let other = try Data(contentsOf: folder.appending(path: "state-1"))
    #expect(other.range(of: Data("second".utf8)) != nil)
  }
}
