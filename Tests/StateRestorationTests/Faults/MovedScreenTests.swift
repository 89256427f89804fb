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
}
