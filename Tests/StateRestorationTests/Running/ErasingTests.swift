import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Archived state can be erased, all of it or at a path")
struct ErasingTests {
  /// Returns an archive with two accounts. Each account has an inbox with a draft.
  private static func archive() throws -> StateArchive {
    let world = World()
    world.app.launch()
    let accounts = try world.screen("accounts")
    for name in ["anna", "bert"] {
      let account = try world.screen(name, below: accounts)
      account.note = "name of \(name)"
      try world.screen("inbox", below: account).note = "draft of \(name)"
    }
    for screen in world.app.descendants { screen.restorationKind = "screen" }
    return world.archive
  }

  /// Returns the paths of an archive's records, each as one text.
  private static func paths(_ archive: StateArchive) -> [String] {
    unopened(archive).1.report.records.map { record in
      let path = record.path.isEmpty ? "application" : record.path.joined(separator: " › ")
      return record.ordinal > 0 ? "\(path) (\(record.ordinal + 1))" : path
    }
  }

  private static func contains(_ archive: StateArchive, _ text: String) -> Bool {
    String(decoding: archive.bytes, as: UTF8.self).contains(text)
  }

  /// Returns an application and its restoration after a launch without kinds. The launch has made
  /// no responder of the archive.
  private static func unopened(_ archive: StateArchive) -> (App, Restoration) {
    let app = App()
    let restoration = Restoration {}
    app.launch(restoring: restoration, from: archive)
    return (app, restoration)
  }

  @Test("A screen that was removed leaves nothing behind, and its sibling stays as it is")
  func removed() throws {
    let world = try World.restored(try Self.archive())
    let anna = try #require(world.find("accounts", "anna"))
    anna.removeFromParent()
    world.restoration.erase(at: ["accounts", "anna"])
    let archive = world.restoration.archive(of: world.app, asksAll: false)
    #expect(!Self.contains(archive, "anna"))
    #expect(
      Self.paths(archive)
        == ["application", "accounts", "accounts › bert", "accounts › bert › inbox"])
    let again = try World.restored(archive)
    #expect(again.find("accounts", "bert", "inbox")?.note == "draft of bert")
  }

  @Test("A screen that was below a removed one, and is elsewhere now, keeps its values")
  func movedAway() throws {
    let world = World()
    world.app.launch()
    let page = try world.screen("page")
    page.note = "old"
    page.restorationKind = "screen"
    let form = Form()
    form.restorationIdentifier = "form"
    form.draft = "kept"
    try page.append(form)
    let again = try World.restored(world.archive)
    let removed = try #require(again.find("page"))
    let moved = try #require(removed.children.first as? Form)
    removed.removeFromParent()
    _ = again.restoration.archive(of: again.app, asksAll: false)
    try again.app.append(moved)
    _ = again.restoration.archive(of: again.app, asksAll: false)
    again.restoration.erase(at: ["page"])
    let archive = again.restoration.archive(of: again.app, asksAll: false)
    #expect(!Self.contains(archive, "old"))
    let last = try World.restored(archive)
    #expect((last.app.children.first as? Form)?.draft == "kept")
    #expect(moved.draft == "kept")
  }

  @Test("Erased state does not stay because the rest is beyond a limit")
  func beyondLimit() throws {
    let world = try World.restored(try Self.archive())
    let anna = try #require(world.find("accounts", "anna"))
    anna.removeFromParent()
    world.restoration.limits.archiveBytes = 64
    world.restoration.erase(at: ["accounts", "anna"])
    #expect(!Self.contains(world.restoration.archive(of: world.app), "anna"))
    world.restoration.limits.archiveBytes = 1 << 20
    let archive = world.restoration.archive(of: world.app)
    #expect(!Self.contains(archive, "anna"))
    #expect(try World.restored(archive).find("accounts", "bert", "inbox")?.note == "draft of bert")
  }

  @Test("An application has no kind, and saves as before if one is set")
  func kindOfApplication() throws {
    let world = try World.restored(try Self.archive())
    world.app.restorationKind = "screen"
    #expect(world.app.restorationKind == nil)
    #expect(Self.contains(world.restoration.archive(of: world.app), "anna"))
  }

  @Test("A screen that is still there begins anew, with its state as it is now")
  func present() throws {
    let world = try World.restored(try Self.archive())
    let inbox = try #require(world.find("accounts", "anna", "inbox"))
    inbox.note = nil
    world.find("accounts", "anna")?.note = "guest"
    world.restoration.erase(at: ["accounts", "anna"])
    #expect(
      world.restoration.report.notes
        == ["State below a path was erased, in 2 records."])
    let archive = world.restoration.archive(of: world.app, asksAll: false)
    #expect(!Self.contains(archive, "of anna"))
    inbox.note = "new"
    inbox.invalidateRestorableState()
    let changed = world.restoration.archive(of: world.app, asksAll: false)
    let again = try World.restored(changed)
    #expect(again.find("accounts", "anna")?.note == "guest")
    #expect(again.find("accounts", "anna", "inbox")?.note == "new")
    #expect(again.find("accounts", "bert", "inbox")?.note == "draft of bert")
  }

  @Test("Records that are kept for later are erased, at any depth")
  func carried() throws {
    let (app, restoration) = Self.unopened(try Self.archive())
    #expect(restoration.report.count(.carried) == 5)
    restoration.erase(at: ["accounts", "anna"])
    #expect(restoration.report.count(.carried) == 3)
    #expect(
      restoration.report.records.filter { $0.outcome == .dropped }.map(\.path)
        == [["accounts", "anna"], ["accounts", "anna", "inbox"]])
    #expect(restoration.report.notes.last?.hasSuffix("in 2 records.") == true)
    let archive = restoration.archive(of: app)
    #expect(!Self.contains(archive, "anna"))
    #expect(Self.paths(archive).count == 4)
    restoration.erase(at: ["accounts"])
    #expect(Self.paths(restoration.archive(of: app)) == ["application"])
    #expect(restoration.report.count(.carried) == 0)
  }

  @Test("A record that is kept below a live screen is erased, and does not come back when opened")
  func carriedBelowLive() throws {
    let app = App()
    let accounts = Screen(app.events, "accounts")
    try app.append(accounts)
    let restoration = Restoration {}
    app.launch(restoring: restoration, from: try Self.archive())
    #expect(restoration.report.count(.carried) == 4)
    restoration.erase(at: ["accounts", "anna"])
    let anna = Screen(app.events, "anna")
    let bert = Screen(app.events, "bert")
    try accounts.append(anna)
    try accounts.append(bert)
    #expect(anna.note == nil)
    #expect(bert.note == "name of bert")
    #expect(Self.paths(restoration.archive(of: app)).count == 5)
  }

  @Test("Values that wait for a context are erased with their bytes, and are not set later")
  func waiting() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch()
    for (name, page) in [("anna", 7), ("bert", 8)] {
      let reader = Reader(world.events, name)
      reader.restorationKind = "reader"
      try world.app.append(reader)
      reader.page = PageNumber(notebook: "root", page: page)
      reader.mark = reader.page
    }
    var delivery: Delivery<Notebook>?
    let again = try World.restored(world.archive) {
      delivery = $0.app.expect(Notebook.self)
    }
    #expect(again.restoration.report.count(.waiting) == 2)
    again.restoration.erase(at: ["anna"])
    #expect(again.restoration.report.count(.waiting) == 1)
    #expect(!Self.contains(again.restoration.archive(of: again.app, asksAll: false), "root#7"))
    #expect(Self.contains(again.restoration.archive(of: again.app, asksAll: false), "root#8"))
    let isDelivered = delivery?.deliver(Notebook("root"))
    #expect(isDelivered == true)
    again.app.drain()
    let readers = again.app.children.compactMap { $0 as? Reader }
    #expect(readers.map(\.mark?.page) == [nil, 8])
    #expect(readers.map(\.page?.page) == [nil, 8])
  }

  @Test("Properties that nothing has read begin anew, and keep what is set from then on")
  func properties() throws {
    let world = World()
    world.app.launch()
    let form = Form()
    form.restorationIdentifier = "form"
    try world.app.append(form)
    form.draft = "secret"
    let again = try World.restored(world.archive)
    let restored = try #require(again.app.children.first as? Form)
    again.restoration.erase(at: ["form"])
    #expect(!Self.contains(again.archive, "secret"))
    #expect(restored.draft == "")
    restored.selection = 3
    let last = try World.restored(again.restoration.archive(of: again.app, asksAll: false))
    let form3 = try #require(last.app.children.first as? Form)
    #expect(form3.selection == 3 && form3.draft == "")
  }

  @Test("Without a path, all is erased, also what the application keeps for itself")
  func all() throws {
    let (app, restoration) = Self.unopened(try Self.archive())
    app.theme = "dark"
    restoration.erase()
    let archive = restoration.archive(of: app, asksAll: false)
    #expect(Self.paths(archive) == ["application"])
    #expect(!Self.contains(archive, "anna"))
    #expect(try World.restored(archive).app.theme == "dark")
  }

  @Test("All siblings with the identifier are meant, and objects that were added under it")
  func siblings() throws {
    let world = World()
    world.app.launch()
    for note in ["one", "two"] { try world.screen("page").note = note }
    let player = Player()
    world.restoration.add(player, as: "page", under: world.app)
    let (app, restoration) = Self.unopened(world.archive)
    #expect(restoration.report.count(.carried) == 3)
    restoration.erase(at: ["page"])
    #expect(Self.paths(restoration.archive(of: app)) == ["application"])
    world.restoration.erase(at: ["page"])
    #expect(world.restoration.report.notes.contains { $0.hasSuffix("in 3 records.") })
  }

  private final class Player: StateRestoring {
    func encodeRestorableState(with coder: StateEncoder) throws {}
    func decodeRestorableState(with coder: StateDecoder) throws {}
  }

  @Test(
    "A screen that was removed and comes back has nothing of what was erased", arguments: 0..<3)
  func comesBack(saves: Int) throws {
    let world = World()
    world.app.launch()
    let screen = try world.screen("screen")
    let form = Form()
    form.restorationIdentifier = "form"
    try screen.append(form)
    form.draft = "secret"
    let again = try World.restored(world.archive)
    let removed = try #require(again.find("screen"))
    removed.removeFromParent()
    // After a full save, the last archive has no record of the screen any more.
    for _ in 0..<saves { _ = again.archive }
    again.restoration.erase(at: ["elsewhere"])
    #expect(again.restoration.report.notes.last?.hasSuffix("in 0 records.") == true)
    again.restoration.erase(at: ["screen"])
    #expect(again.restoration.report.notes.last == "State below a path was erased, in 2 records.")
    try again.app.append(removed)
    #expect(!Self.contains(again.restoration.archive(of: again.app, asksAll: false), "secret"))
    #expect((removed.children.first as? Form)?.draft == "")
    #expect(!Self.contains(again.archive, "secret"))
  }

  /// A controller whose encoding calls a closure that a test can set.
  private final class Encoding: Controller, StateRestoring {
    var encode: () -> Void = {}
    func encodeRestorableState(with coder: StateEncoder) throws { encode() }
    func decodeRestorableState(with coder: StateDecoder) throws {}
  }

  @Test("While state is being saved, it waits until that is done")
  func whileSaving() throws {
    let (app, restoration) = Self.unopened(try Self.archive())
    let encoding = Encoding()
    encoding.restorationIdentifier = "encoding"
    encoding.encode = { [weak restoration] in restoration?.erase(at: ["accounts", "anna"]) }
    try app.append(encoding)
    let archive = restoration.archive(of: app, asksAll: false)
    #expect(!Self.contains(archive, "anna"))
    #expect(Self.contains(archive, "draft of bert"))
  }

  @Test("A path at which nothing is kept is said to have no records")
  func nothing() throws {
    let world = try World.restored(try Self.archive())
    let before = Self.paths(world.archive)
    world.restoration.erase(at: ["accounts", "carl"])
    #expect(world.restoration.report.notes.last?.hasSuffix("in 0 records.") == true)
    #expect(Self.paths(world.archive) == before)
  }

  @Test("While state is being restored, it waits until that is done", arguments: [false, true])
  func whileRestoring(isAsking: Bool) throws {
    let first = try World.restored(try Self.archive())
    try first.app.append(Reader(first.events, "without a kind"))
    let world = try World.restored(first.archive) { world in
      let erase = { [weak restoration = world.restoration] in
        restoration?.erase(at: ["accounts", "anna"])
        restoration?.erase(at: ["elsewhere"])
      }
      world.restoration.ask = { _ in
        if isAsking { erase() }
        return .all
      }
      world.restoration.makeResponder = { _ in
        if !isAsking { erase() }
        return nil
      }
    }
    #expect(world.find("accounts", "anna", "inbox")?.note == "draft of anna")
    #expect(world.restoration.report.notes.first?.hasSuffix("in 2 records.") == true)
    world.find("accounts", "anna")?.removeFromParent()
    #expect(!Self.contains(world.archive, "anna"))
    #expect(Self.contains(world.archive, "draft of bert"))
  }
}
