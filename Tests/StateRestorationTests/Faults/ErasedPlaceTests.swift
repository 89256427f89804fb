import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("An erase concerns the screens that are at the path now, though no save knows of a change")
struct ErasedPlaceTests {
  /// Launches with a waiting reader behind a screen "account", which has another reader and a form
  /// that nothing has read. The notes come later.
  private static func launch() throws -> (World, account: Screen, readers: [Reader], form: Form) {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch()
    let account = try world.screen("account")
    account.restorationKind = "screen"
    try world.reader(page: 1, mark: 1)
    try world.reader(below: account, page: 2, mark: 2)
    let form = Form()
    form.restorationIdentifier = "form"
    form.draft = "half"
    try account.append(form)
    let again = try World.restored(world.archive)
    let restored = try #require(again.find("account"))
    let readers = (Array(again.app.children) + restored.children).compactMap { $0 as? Reader }
    return (again, restored, readers, try #require(restored.children.last as? Form))
  }

  @Test("A screen that was moved there, or whose parent was renamed, loses what waits")
  func nowThere() throws {
    let (world, account, readers, _) = try Self.launch()
    try readers[0].move(to: account)
    account.restorationIdentifier = "renamed"
    world.restoration.erase(at: ["renamed"])
    #expect(world.restoration.brokenInvariant == nil)
    #expect(world.restoration.report.count(.waiting) == 0)
    world.app.provide(Notebook("root"))
    for reader in readers { #expect(reader.mark == nil && reader.page == nil) }
  }

  @Test("A screen that has left, or whose parent was renamed, keeps it", arguments: [false, true])
  func noLongerThere(isRenamed: Bool) throws {
    let (world, account, readers, form) = try Self.launch()
    if isRenamed {
      account.restorationIdentifier = "renamed"
    } else {
      for screen in [readers[1], form] { try screen.move(to: world.app) }
    }
    world.restoration.erase(at: ["account"])
    #expect(world.restoration.brokenInvariant == nil)
    #expect(world.restoration.report.count(.waiting) == 2)
    world.app.provide(Notebook("root"))
    #expect(readers[1].mark?.page == 2 && readers[1].page?.page == 2)
    #expect(form.draft == "half")
  }
}
