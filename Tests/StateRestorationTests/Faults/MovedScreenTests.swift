import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Faults of screens that leave the tree")
struct MovedScreenTests {
  @Test("A record below a screen that was out of the tree is given when the screen returns")
  func keptBelow() throws {
    let first = World()
    first.app.launch()
    let deck = try first.screen("deck")
    deck.restorationKind = "deck"
    let form = Form()
    form.restorationIdentifier = "form"
    form.draft = "kept"
    try deck.append(form)
    let app = App()
    let restoration = Restoration {
      Kind("form", .whenAttached, Form.init)
      Kind("deck") { $0.existing ?? Screen(Events()) }
    }
    app.launch(restoring: restoration, from: first.archive)
    let restored = try #require(app.children.first)
    #expect(restored.children.isEmpty)
    restored.removeFromParent()
    _ = restoration.archive(of: app)
    try app.append(restored)
    let again = Form()
    again.restorationIdentifier = "form"
    try restored.append(again)
    #expect(again.draft == "kept")
  }

  @Test("A screen that moves into another application brings its restored values")
  func otherApplication() throws {
    let (first, forms) = try World.forms(1)
    forms[0].days = [1, 2]
    let one = try World.restored(first.archive)
    let form = try #require(one.app.children.first as? Form)
    let other = World()
    other.app.launch(restoring: other.restoration, from: nil)
    form.removeFromParent()
    try other.app.append(form)
    let next = try World.restored(other.archive)
    let again = try #require(next.app.children.first as? Form)
    withExtendedLifetime(one) {}
    #expect(again.draft == "draft 0")
    #expect(again.days == [1, 2])
  }

  @Test("A screen that moves into another application keeps its kind, whatever the order of kinds")
  func otherKinds() throws {
    func launch(_ archive: StateArchive?, _ names: [String]) -> (App, Restoration) {
      let restoration = Restoration {
        for name in names {
          Kind(name) { $0.existing ?? (name == "form" ? Form() : Screen(Events(), name)) }
        }
      }
      let app = App()
      app.launch(restoring: restoration, from: archive)
      return (app, restoration)
    }
    let (first, forms) = try World.forms(1)
    forms[0].restorationKind = "form"
    let (one, _) = launch(first.archive, ["deck", "form"])
    let form = try #require(one.children.first as? Form)
    let (other, restoration) = launch(nil, ["form", "deck"])
    form.removeFromParent()
    try other.append(form)
    let (next, _) = launch(restoration.archive(of: other), ["form", "deck"])
    withExtendedLifetime(one) {}
    #expect((next.children.first as? Form)?.draft == "draft 0")
  }

  @Test("References of screens that move into another application lead to those that move as well")
  func otherReferences() throws {
    final class Row: Controller {
      @Restorable("number") var number = 0
      @Restorable("target") var target: Row?
    }
    func launch(_ archive: StateArchive?) -> (App, [Row], Restoration) {
      let (app, restoration) = (App(), Restoration { Kind("row", Row.init) })
      app.launch(restoring: restoration, from: archive)
      return (app, app.children.compactMap { $0 as? Row }, restoration)
    }
    func add(_ number: Int, to app: App) throws -> Row {
      let row = Row()
      row.restorationIdentifier = "row"
      row.number = number
      try app.append(row)
      return row
    }
    let (first, _, restoration) = launch(nil)
    let rows = try (0..<4).map { try add($0, to: first) }
    for (from, to) in [(0, 1), (1, 0), (2, 3)] { rows[from].target = rows[to] }
    let archive = restoration.archive(of: first)
    for row in rows { row.target = nil }

    // The other application has rows of the same generations and paths.
    let (one, moved, _) = launch(archive)
    let (other, _, last) = launch(nil)
    let own = try (10..<14).map { try add($0, to: other) }
    own[0].target = own[1]
    _ = last.archive(of: other)
    for row in moved.prefix(3) {
      row.removeFromParent()
      try other.append(row)
    }
    let (again, restored, report) = launch(last.archive(of: other))
    let targets = Dictionary(uniqueKeysWithValues: restored.map { ($0.number, $0.target?.number) })
    #expect(targets == [0: 1, 1: 0, 2: nil, 10: 11, 11: nil, 12: nil, 13: nil])
    #expect(report.report.notes == ["row: \"target\" misses a responder, which is not there"])
    for row in restored + own { row.target = nil }
    withExtendedLifetime((one, again)) {}
  }
}
