import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A test can ask an archive for a value")
struct ArchivedValueTests {
  private static func archive() throws -> StateArchive {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    world.app.theme = "dark"
    let deck = try world.screen("deck")
    for number in 0..<2 {
      let form = Form()
      form.restorationIdentifier = "editor"
      form.draft = "draft \(number)"
      form.selection = number == 0 ? nil : 3
      try deck.append(form)
    }
    return world.archive
  }

  @Test("It is found by its path and key")
  func found() throws {
    let archive = try Self.archive()
    #expect(try archive.value("draft", at: ["deck", "editor"]) == "draft 0")
    #expect(try archive.value("theme") == "dark")
    #expect(try archive.value(StateKey<Int>("selection"), at: ["deck", "editor"]) == nil)
  }

  @Test("A path or a key that is not there has no value")
  func absent() throws {
    let archive = try Self.archive()
    let path = ["deck", "editor"]
    #expect(try archive.value(StateKey<String>("other"), at: path) == nil)
    #expect(try archive.value(StateKey<String>("draft"), at: ["editor"]) == nil)
    #expect(try archive.value(StateKey<String>("draft"), at: path + ["below"]) == nil)
  }

  @Test("A value of another type, and bytes that are no archive, are errors")
  func errors() throws {
    let archive = try Self.archive()
    #expect(throws: StateError.self) {
      try archive.value(StateKey<Int>("draft"), at: ["deck", "editor"])
    }
    #expect(throws: StateArchive.Fault.empty) {
      try StateArchive(bytes: []).value(StateKey<Int>("draft"))
    }
    let cut = StateArchive(bytes: archive.bytes.dropLast())
    #expect(throws: StateArchive.Fault.self) { try cut.value(StateKey<String>("theme")) }
  }
}
