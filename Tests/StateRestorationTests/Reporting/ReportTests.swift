import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The report tells what a restoration could not do")
struct ReportTests {
  private final class Holder: Controller, StateRestoring {
    @Restorable("chosen") var chosen: Screen?
    var detail: Screen?
    var must: Screen?
    var number = 0
    var page: PageNumber?
    var fixed = PageNumber(notebook: "none", page: 0)

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(detail, for: "detail")
      if let must { try coder.encode(must, for: "must") }
      try coder.encode(page, for: "page")
      try coder.encode(fixed, for: "fixed")
      try coder.encode(number, for: "number")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      detail = try coder.decode("detail")
      must = try coder.decode("must")
      try coder.whenReady("page", into: \.page, of: self)
      try coder.whenReady("fixed", into: \.fixed, of: self)
      number = try coder.decode("number") ?? 0
    }
  }

  private static func restoration(_ events: Events, hasScreens: Bool) -> Restoration {
    Restoration {
      Kind("holder", Holder.init)
      if hasScreens { Kind("screen") { $0.existing ?? Screen(events) } }
      ContextName("notes", Notebook.self)
    }
  }

  @Test("A responder or object that is missing is nil, with a line, and costs no other key")
  func missing() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    let holder = Holder()
    holder.restorationIdentifier = "holder"
    try world.app.append(holder)
    let screen = try world.screen("screen", below: holder)
    holder.detail = screen
    holder.must = screen
    holder.chosen = screen
    holder.page = PageNumber(notebook: "root", page: 1)
    holder.fixed = PageNumber(notebook: "root", page: 2)
    holder.number = 7
    let saving = Self.restoration(world.events, hasScreens: true)
    let archive = saving.archive(of: world.app)
    #expect(saving.report.problems == [])

    for isLate in [false, true] {
      let again = World()
      let restoration = Self.restoration(again.events, hasScreens: false)
      if !isLate { again.app.provide(Notebook("other")) }
      again.app.launch(restoring: restoration, from: archive)
      if isLate { again.app.provide(Notebook("other")) }
      let found = try #require(again.app.children.first as? Holder)
      #expect(found.number == 7)
      #expect(found.detail == nil && found.must == nil && found.page == nil && found.chosen == nil)
      #expect(found.fixed.notebook == "none")
      #expect(restoration.report.problems == [])
      let notes = restoration.report.notes
      for key in ["detail", "must", "page", "fixed", "chosen"] {
        #expect(notes.filter { $0.contains("\"\(key)\" misses") }.count == 1, "\(key): \(notes)")
      }
      #expect(found.$chosen.missing.count == 1)
      #expect(restoration.report.records.allSatisfy { $0.outcome != .waiting })
    }
  }

  @Test("A damaged record of the application costs its own values, and the report says so")
  func damagedApplication() throws {
    let world = World()
    world.app.launch()
    world.app.theme = "dark"
    try world.screen("screen").note = "kept"
    var bytes = world.archive.bytes
    // The byte comes after the header of the archive, the header of the item, and ten bytes of the
    // record.
    bytes[24 + 9 + 10] ^= 0xFF
    let again = try World.restored(StateArchive(bytes: bytes))
    #expect(again.app.theme == "light")
    #expect(again.restoration.report.count(.damaged) == 1)
    #expect(again.restoration.report.records.first?.outcome == .damaged)
    #expect(again.restoration.report.records.first?.path == [])
    #expect(again.find("screen")?.note == "kept")
    #expect(
      again.restoration.report.problems.first == "Damaged records of the archive: 1.")
    #expect(try World.restored(again.archive).find("screen")?.note == "kept")
  }

  @Test("A kind that code has named and that is not registered is a problem of the save")
  func unknownKind() throws {
    let world = World()
    let screen = try world.screen("screen")
    let other = try world.screen("screen")
    for screen in [screen, other] { screen.restorationKind = "tally" }
    _ = world.archive
    _ = world.archive
    #expect(world.restoration.report.problems.count == 1)
    #expect(world.restoration.report.problems.first?.contains("tally") == true)
    #expect(world.restoration.report.problems.first?.contains("screen") == true)
  }

  @Test("A slot without a registered name is described in words")
  func slotWords() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    try world.screen("screen").branch(Notebook.self, .keep)
    let again = World()
    let events = again.events
    let restoration = Restoration { Kind("screen") { _ in Screen(events) } }
    again.app.launch(restoring: restoration, from: world.archive)
    #expect(
      restoration.report.notes == [
        "screen: notes: branch, keep was not restored, because no ContextName has this name."
      ])
  }
}
