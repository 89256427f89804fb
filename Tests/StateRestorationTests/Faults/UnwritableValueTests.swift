import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Faults of values that cannot be written, or belong to another account")
struct UnwritableValueTests {
  /// A controller whose methods write a reference and then a text.
  private final class Editor: Controller, StateRestoring {
    var page: PageNumber?
    var text = ""

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(page, for: "page")
      try coder.encode(text, for: "text")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      text = try coder.decode("text") ?? ""
      try coder.whenReady("page", into: \.page, of: self)
    }
  }

  /// Launches an application with an editor below it.
  private static func launch(
    _ archive: StateArchive? = nil, _ prepare: (App) -> Void = { $0.provide(Notebook("root")) }
  ) throws -> (App, Editor, Restoration) {
    let (app, editor) = (App(), Editor())
    let restoration = Restoration { ContextName("notes", Notebook.self) }
    prepare(app)
    editor.restorationIdentifier = "editor"
    try app.append(editor)
    app.launch(restoring: restoration, from: archive)
    return (app, editor, restoration)
  }

  @Test("The text beside a reference to a draft is saved, and the reference stays as it was")
  func draft() throws {
    let (app, editor, restoration) = try Self.launch()
    editor.page = PageNumber(notebook: "root", page: 1)
    editor.text = "old"
    _ = restoration.archive(of: app)
    // The notebook is not in the tree, as an object that was never saved is in no store.
    editor.page = PageNumber(notebook: "unsaved", page: 2)
    editor.text = "half-typed"
    let (_, next, _) = try Self.launch(restoration.archive(of: app))
    #expect(next.text == "half-typed")
    #expect(next.page?.page == 1)
  }

  @Test("The text beside a reference is saved while its context is expected again")
  func expectedAgain() throws {
    let (app, editor, restoration) = try Self.launch()
    editor.page = PageNumber(notebook: "root", page: 1)
    _ = restoration.archive(of: app)
    let delivery = app.expect(Notebook.self)
    editor.text = "half-typed"
    let archive = restoration.archive(of: app)
    withExtendedLifetime(delivery) {}
    let (_, next, _) = try Self.launch(archive)
    #expect(next.text == "half-typed")
    #expect(next.page?.page == 1)
  }

  @Test("References of the first account stay while somebody else is logged in")
  func otherAccount() throws {
    func launch(_ user: String, _ archive: StateArchive?) throws -> (World, Reader) {
      let world = World()
      world.app.provide(Notebook(user))
      let reader = try world.reader()
      world.app.launch(restoring: world.restoration, from: archive)
      return (world, reader)
    }
    let (first, reader) = try launch("anna", nil)
    reader.page = PageNumber(notebook: "anna", page: 7)
    reader.mark = reader.page
    for isMethod in [false, true] {
      let (second, other) = try launch("bert", first.archive)
      #expect(other.page == nil && other.mark == nil)
      other.draft = "an unrelated edit"
      let (third, again) = try launch("anna", second.archive)
      withExtendedLifetime(third) {}
      #expect((isMethod ? again.mark : again.page)?.page == 7)
    }
  }
}
