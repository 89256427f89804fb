import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A responder keeps its archived values while it is not in the tree")
struct DetachedTests {
  /// Returns the archive of a form that is below a screen.
  private static func archive() throws -> StateArchive {
    let world = World()
    world.app.launch()
    let screen = try world.screen("screen")
    screen.note = "noted"
    let form = Form()
    form.restorationIdentifier = "form"
    form.draft = "half"
    form.days = [1, 2]
    try screen.append(form)
    return world.archive
  }

  private static func form(_ archive: StateArchive) throws -> Form? {
    try World.restored(archive).find("screen")?.children.first as? Form
  }

  @Test("Values that were not read before a full save are read after it")
  func readsLater() throws {
    let world = try World.restored(try Self.archive())
    let screen = try #require(world.find("screen"))
    let form = try #require(screen.children.first as? Form)
    screen.removeFromParent()
    for _ in 0..<3 { _ = world.archive }
    #expect(form.draft == "half")
    try world.app.append(screen)
    #expect(form.days == [1, 2])
  }

  @Test("Values that nothing has read are saved when the responder is back", arguments: [1, 2])
  func savesLater(saves: Int) throws {
    for isFull in [false, true] {
      let world = try World.restored(try Self.archive())
      let screen = try #require(world.find("screen"))
      screen.removeFromParent()
      for _ in 0..<saves { _ = world.archive }
      try world.app.append(screen)
      let next =
        isFull ? world.archive : world.restoration.archive(of: world.app, asksAll: false)
      #expect(try Self.form(next)?.draft == "half")
      #expect(try Self.form(next)?.days == [1, 2])
      // The form has its record again, so later saves find its values as before.
      #expect(try Self.form(world.archive)?.days == [1, 2])
    }
  }

  @Test("An edit while it is detached stays, and costs no other value")
  func editsWhileDetached() throws {
    let world = try World.restored(try Self.archive())
    let screen = try #require(world.find("screen"))
    let form = try #require(screen.children.first as? Form)
    screen.removeFromParent()
    _ = world.archive
    form.draft = "edited"
    _ = world.archive
    try world.app.append(screen)
    let again = try #require(try Self.form(world.archive))
    #expect(again.draft == "edited")
    #expect(again.days == [1, 2])
  }

  @Test("A record below it that nothing has restored comes back with it")
  func carriedBelow() throws {
    func restoration() -> Restoration {
      Restoration {
        Kind("form", .whenAttached, Form.init)
        Kind("screen") { $0.existing ?? Screen(Events()) }
      }
    }
    let app = App()
    let first = restoration()
    app.launch(restoring: first, from: try Self.archive())
    let screen = try #require(app.children.first)
    #expect(screen.children.count == 0)
    screen.removeFromParent()
    _ = first.archive(of: app)
    try app.append(screen)
    let next = first.archive(of: app, asksAll: false)
    let form = Form()
    form.restorationIdentifier = "form"
    try screen.append(form)
    #expect(form.draft == "half")
    #expect(try Self.form(next)?.draft == "half")
    #expect(try Self.form(first.archive(of: app))?.days == [1, 2])
  }

  @Test(
    "A value that waits for its context is there when the responder is back", arguments: [0, 1])
  func waiting(order: Int) throws {
    let first = World()
    first.app.provide(Notebook("root"))
    try first.reader(page: 7, mark: 8)
    let world = try World.restored(first.archive) { _ = $0.app.expect(Notebook.self) }
    let found = try #require(world.app.children.first as? Reader)
    found.removeFromParent()
    _ = world.archive
    if order == 0 { world.app.provide(Notebook("root")) }
    try world.app.append(found)
    _ = world.restoration.archive(of: world.app, asksAll: false)
    if order == 1 { world.app.provide(Notebook("root")) }
    #expect(found.page?.page == 7)
    #expect(found.mark?.page == 8)
  }

  @Test("Another identifier keeps values, kind and edits", arguments: [false, true])
  func renames(isFull: Bool) throws {
    let world = try World.restored(try Self.archive())
    let screen = try #require(world.find("screen"))
    let form = try #require(screen.children.first as? Form)
    form.draft = "edited"
    form.restorationIdentifier = "renamed"
    screen.restorationIdentifier = "top"
    let archive = isFull ? world.archive : world.restoration.archive(of: world.app, asksAll: false)
    let again = try World.restored(archive)
    #expect(again.find("top")?.note == "noted")
    let found = try #require(again.find("top")?.children.first as? Form)
    #expect(found.restorationIdentifier == "renamed")
    #expect(found.draft == "edited")
    #expect(found.days == [1, 2])
  }

  @Test("Another identifier keeps the kind that code has named")
  func renamesNamedKind() throws {
    let form = Form()
    form.restorationIdentifier = "a"
    form.restorationKind = "form"
    form.restorationIdentifier = "b"
    #expect(form.restorationKind == "form")
  }

  @Test("A detached responder keeps the kind that made it, also one that is named later")
  func kinds() throws {
    let world = try World.restored(try Self.archive())
    let screen = try #require(world.find("screen"))
    let form = try #require(screen.children.first as? Form)
    screen.restorationIdentifier = "main"
    screen.removeFromParent()
    _ = world.archive
    form.restorationKind = "form"
    try world.app.append(screen)
    let again = try World.restored(world.restoration.archive(of: world.app, asksAll: false))
    #expect(again.find("main")?.note == "noted")
    #expect((again.find("main")?.children.first as? Form)?.days == [1, 2])
  }

  @Test("A detached responder keeps its values in another archive, and not after an erase")
  func forgotten() throws {
    for (isErased, draft) in [(false, "half"), (true, "")] {
      let world = try World.restored(try Self.archive())
      let screen = try #require(world.find("screen"))
      let form = try #require(screen.children.first as? Form)
      screen.removeFromParent()
      let without = world.archive
      if isErased {
        world.restoration.erase()
      } else {
        world.restoration.restore(without, into: world.app)
      }
      try world.app.append(screen)
      #expect(form.draft == draft)
      #expect(try Self.form(world.archive)?.draft == draft)
    }
  }

  @Test("Records of detached responders are released with them")
  func released() throws {
    let world = try World.restored(try Self.archive())
    weak var form: Form?
    do {
      let screen = try #require(world.find("screen"))
      form = screen.children.first as? Form
      screen.removeFromParent()
      _ = world.archive
      #expect(form?.draft == "half")
    }
    #expect(form == nil)
  }

  @Test("What is missing of a detached responder is its own, and stays with it")
  func missing() throws {
    let first = World()
    first.app.provide(Notebook("root"))
    for name in ["reader", "other"] {
      let reader = Reader(first.events, name)
      reader.restorationKind = "reader"
      try first.app.append(reader)
      if name == "reader" { reader.page = PageNumber(notebook: "root", page: 7) }
    }
    let world = try World.restored(first.archive) { $0.app.provide(Notebook("strange")) }
    let readers = world.app.children.compactMap { $0 as? Reader }
    readers[0].removeFromParent()
    try world.app.reorder(try world.screen("new"), to: 0)
    _ = world.archive
    try world.app.append(readers[0])
    #expect(readers[0].page == nil)
    #expect(readers[0].$page.missing.count == 1)
    #expect(readers[1].$page.missing == [])
    _ = world.archive
    #expect(readers[0].$page.missing.count == 1)
    #expect(readers[1].$page.missing == [])
  }
}
