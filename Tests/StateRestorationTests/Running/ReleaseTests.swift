import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A restoration ends with its application")
struct ReleaseTests {
  @Test("A tree that was changed after it was restored is released", arguments: [false, true])
  func released(isSaved: Bool) throws {
    let archive = try Self.archive()
    weak var app: App?
    weak var form: Form?
    var restoration: Restoration? = makeRestoration(Events())
    do {
      let made = App()
      app = made
      restoration.map { made.launch(restoring: $0, from: archive) }
      form = made.children.first as? Form
      made.theme = "dark"
      made.invalidateRestorableState()
      form?.draft = "changed"
      try made.append(Controller())
      if isSaved { _ = restoration?.archive(of: made, asksAll: false) }
      form?.draft = "changed again"
    }
    #expect(app == nil)
    #expect(form == nil)
    weak let engine = restoration
    restoration = nil
    #expect(engine == nil)
  }

  private static func archive() throws -> StateArchive {
    let world = World()
    world.app.launch()
    let form = Form()
    form.restorationIdentifier = "form"
    try world.app.append(form)
    form.draft = "kept"
    return world.archive
  }
}
