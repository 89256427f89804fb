import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A save of changes appends what has changed")
struct ChangedTests {
  @Test("A changed value is in the next archive, and without a change the archive stays")
  func values() throws {
    let (world, forms) = try World.forms(200)
    let base = world.restoration.archive(of: world.app)
    let same = world.restoration.archive(of: world.app, asksAll: false)
    #expect(same == base)
    forms[3].draft = "changed"
    let next = world.restoration.archive(of: world.app, asksAll: false)
    #expect(next.count < base.count + 10)
    var expected = (0..<200).map { "draft \($0)" }
    expected[3] = "changed"
    #expect(try World.drafts(next) == expected)
  }

  @Test("Responders that come, go and move are found again")
  func structure() throws {
    let (world, forms) = try World.forms(5)
    _ = world.restoration.archive(of: world.app)
    forms[1].removeFromParent()
    try world.app.reorder(forms[4], to: 0)
    let new = Form()
    new.restorationIdentifier = "form"
    new.draft = "new"
    try world.app.insert(new, at: 2)
    let next = world.restoration.archive(of: world.app, asksAll: false)
    #expect(try World.drafts(next) == ["draft 4", "draft 0", "new", "draft 2", "draft 3"])
    new.draft = "newer"
    #expect(
      try World.drafts(world.restoration.archive(of: world.app, asksAll: false))
        == ["draft 4", "draft 0", "newer", "draft 2", "draft 3"])
  }

  @Test("A restored tree without changes keeps the archive from which it was restored")
  func afterLaunch() throws {
    let (world, _) = try World.forms(100)
    let archive = world.restoration.archive(of: world.app)
    let again = try World.restored(archive)
    #expect(again.restoration.archive(of: again.app, asksAll: false) == archive)
    (again.app.children[7] as? Form)?.draft = "seven"
    let next = again.restoration.archive(of: again.app, asksAll: false)
    #expect(next != archive)
    #expect(try World.drafts(next)[7] == "seven")
  }

  @Test("Changes of methods are found when they are invalidated")
  func methods() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let screen = try world.screen("screen")
    let base = world.restoration.archive(of: world.app)
    screen.note = "changed"
    #expect(world.restoration.archive(of: world.app, asksAll: false) == base)
    screen.invalidateRestorableState()
    let next = world.restoration.archive(of: world.app, asksAll: false)
    #expect(try World.restored(next).find("screen")?.note == "changed")
  }

  @Test("A responder that is moved below a new one keeps its state")
  func moveBelowNew() throws {
    let (world, forms) = try World.forms(2)
    _ = world.restoration.archive(of: world.app)
    let screen = try world.screen("screen")
    try forms[0].move(to: screen)
    let next = world.restoration.archive(of: world.app, asksAll: false)
    let again = try World.restored(next)
    let found = again.find("screen")?.children.first as? Form
    #expect(found?.draft == "draft 0")
    #expect(again.app.children.count == 2)
  }
}

extension ChangedTests {
  @Test("A branch, a block or another policy that is declared later is saved")
  func slots() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch(restoring: world.restoration, from: nil)
    let screen = try world.screen("screen")
    let below = try world.screen("screen", below: screen)
    let base = world.restoration.archive(of: world.app)
    screen.branch(Notebook.self)
    below.block(Notebook.self)
    func kinds(_ archive: StateArchive) throws -> [[SlotSummary.SlotKind]] {
      let again = try World.restored(archive) { $0.app.provide(Notebook("root")) }
      return again.app.descendants.map { $0.slotSummaries.map(\.kind) }
    }
    #expect(try kinds(base) == [[], []])
    #expect(
      try kinds(world.restoration.archive(of: world.app, asksAll: false)) == [
        [.branch(.follow)], [.block],
      ])
    screen.branch(Notebook.self, .keep)
    try below.withdraw(Notebook.self)
    let last = world.restoration.archive(of: world.app, asksAll: false)
    #expect(try kinds(last) == [[.branch(.keep)], []])
    // A restored slot does not count as a change, so nothing is saved.
    let again = try World.restored(last) { $0.app.provide(Notebook("root")) }
    #expect(again.restoration.archive(of: again.app, asksAll: false) == last)
  }

  @Test("A child that is presented instead is presented after a restart")
  func roles() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let screen = try world.screen("screen")
    let sheet = try world.screen("screen", below: screen)
    sheet.note = "sheet"
    _ = world.restoration.archive(of: world.app)
    sheet.removeFromParent()
    try screen.present(sheet)
    let again = try World.restored(world.restoration.archive(of: world.app, asksAll: false))
    let presented = again.find("screen")?.presented as? Screen
    #expect(presented?.note == "sheet")
    #expect(again.find("screen")?.children.count == 0)
  }
}
