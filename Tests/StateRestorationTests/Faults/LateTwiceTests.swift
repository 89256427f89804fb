import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Values wait for two contexts that come, leave and come back")
struct LateTwiceTests {
  private final class TwoReader: Controller, StateRestoring {
    var action: (() -> Void)?
    var mark: PageNumber? { didSet { action?() } }
    var other: PageNumber?

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(mark, for: "mark")
      try coder.encode(other, for: "other")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      try coder.whenReady("mark", into: \.mark, of: self)
      try coder.whenReady("other", into: \.other, of: self)
    }
  }

  private static func launch(
    _ archive: StateArchive?, isReady: Bool = false
  ) -> (App, [TwoReader], Restoration) {
    let app = App()
    let restoration = Restoration {
      Kind("two", TwoReader.init)
      Kind("screen") { $0.existing ?? Screen(Events()) }
      ContextName("notes", Notebook.self)
      ContextName("old", Archive.self)
    }
    if isReady {
      app.provide(Notebook("root"))
      app.provide(Notebook("old"), for: Archive.self)
    }
    app.launch(restoring: restoration, from: archive)
    return (app, app.descendants.compactMap { $0 as? TwoReader }, restoration)
  }

  /// Returns an archive of a reader, and of two screens behind it.
  private static func archive() throws -> StateArchive {
    let (app, _, restoration) = launch(nil, isReady: true)
    let reader = TwoReader()
    reader.restorationIdentifier = "two"
    reader.mark = PageNumber(notebook: "root", page: 0)
    reader.other = PageNumber(notebook: "old", page: 0)
    try app.append(reader)
    for name in ["left", "right"] {
      let screen = Screen(Events(), name)
      screen.restorationKind = "screen"
      try app.append(screen)
    }
    return restoration.archive(of: app)
  }

  @Test("Another context than at the last check is used, though there are no more of them")
  func exchanged() throws {
    let (app, readers, _) = Self.launch(try Self.archive())
    let (left, right) = (app.children[1], app.children[2])
    left.provide(Notebook("root"))
    right.provide(Notebook("old"), for: Archive.self)
    try readers[0].move(to: left)
    #expect(readers[0].mark?.page == 0 && readers[0].other == nil)
    try readers[0].move(to: right)
    #expect(readers[0].other?.page == 0)
  }

  @Test("An erase by the setter of one value concerns the values that still wait")
  func erased() throws {
    let (app, readers, restoration) = Self.launch(try Self.archive())
    readers[0].action = { restoration.erase() }
    app.batch {
      app.provide(Notebook("root"))
      app.provide(Notebook("old"), for: Archive.self)
    }
    #expect(readers[0].mark?.page == 0 && readers[0].other == nil)
  }

  @Test("A responder that comes back to the tree waits again in the report")
  func back() throws {
    let (app, readers, restoration) = Self.launch(try Self.archive())
    for _ in 0..<2 {
      readers[0].removeFromParent()
      #expect(restoration.report.count(.dropped) == 1)
      try app.append(readers[0])
      #expect(restoration.report.count(.waiting) == 1)
    }
  }
}
