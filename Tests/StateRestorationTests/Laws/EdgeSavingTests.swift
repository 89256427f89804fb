import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Saves at odd moments lose nothing")
struct EdgeSavingTests {
  private static func archive() throws -> StateArchive {
    let (app, restoration) = try scriptedLaunch(nil)
    for (number, name) in ["a", "b", "c"].enumerated() {
      let made = Scripted(name, number: number)
      made.text = name
      try app.append(made)
    }
    return restoration.archive(of: app)
  }

  private static let states = ["a 0 a", "b 1 b", "c 2 c"]

  /// The point of a launch at which the test saves.
  enum Moment: CaseIterable {
    case factory, link, decode, didDecode, finish, report, encode
  }

  @Test("A save in each moment of a launch", arguments: Moment.allCases, [false, true])
  func moments(moment: Moment, isFull: Bool) throws {
    let archive = try Self.archive()
    let app = Application()
    var saves: [StateArchive] = []
    var target: Restoration?
    weak let weakApp = app
    func save() {
      guard let target, let app = weakApp else { return }
      saves.append(isFull ? target.archive(of: app) : target.archive(of: app, asksAll: false))
    }
    let restoration = Restoration {
      Kind("a", Scripted.init)
      Kind("b") { request in
        let made = Scripted()
        switch moment {
        case .factory: save()
        case .link: made.onAttach = { _ in save() }
        case .decode: made.onDecode = { _ in save() }
        case .finish: made.onFinish = { save() }
        default: break
        }
        return made
      }
      Kind("c", Scripted.init)
    }
    target = restoration
    if moment == .didDecode { restoration.didDecode = { _ in save() } }
    if moment == .report { restoration.onReport = { _ in save() } }
    app.launch(restoring: restoration, from: archive)
    if moment == .encode, let b = app.children[1] as? Scripted {
      b.onEncode = { [unowned b] _ in
        b.onEncode = nil
        save()
      }
      b.invalidateRestorableState()
      save()
    }
    #expect(!saves.isEmpty)
    #expect(app.scriptedStates == Self.states)
    saves += [restoration.archive(of: app, asksAll: false), restoration.archive(of: app)]
    for save in saves {
      let (again, _) = try scriptedLaunch(save)
      #expect(again.scriptedStates == Self.states)
    }
    target = nil
  }

  @Test(
    "A full save while the application is asked what to restore loses nothing")
  func saveWhileAsked() throws {
    let app = Application()
    let restoration = scriptedRestoration()
    restoration.ask = { [unowned app, unowned restoration] _ in
      _ = restoration.archive(of: app)
      return .all
    }
    app.launch(restoring: restoration, from: try Self.archive())
    #expect(app.scriptedStates == Self.states)
    #expect(try scriptedLaunch(restoration.archive(of: app)).0.scriptedStates == Self.states)
  }

  @Test(
    "A method that failed to write is called again by the next save of changes")
  func retriesThrowing() throws {
    let (app, restoration) = try scriptedLaunch(nil)
    let one = Scripted("one", number: 1)
    try app.append(one)
    _ = restoration.archive(of: app)
    one.number = 2
    one.text = "new"
    one.onEncode = { _ in throw Mishap("no luck") }
    one.invalidateRestorableState()
    let failed = restoration.archive(of: app, asksAll: false)
    #expect(restoration.report.problems.count == 1)
    one.onEncode = nil
    let next = restoration.archive(of: app, asksAll: false)
    #expect(try scriptedLaunch(failed).0.children.count == 1)
    #expect(try scriptedLaunch(next).0.scriptedStates == ["one 2 new"])
  }

  @Test("A responder that could never be written is there with all below it")
  func neverWritten() throws {
    let (app, restoration) = try scriptedLaunch(nil)
    let one = Scripted("one", number: 1)
    one.onEncode = { _ in throw Mishap("no luck") }
    try app.append(one)
    try one.append(Scripted("two", number: 2))
    for archive in [restoration.archive(of: app), restoration.archive(of: app, asksAll: false)] {
      let (again, _) = try scriptedLaunch(archive)
      #expect(again.descendants.map(\.restorationIdentifier) == ["one", "two"])
    }
    #expect(restoration.report.problems.count >= 1)
  }

  @Test("A subtree below an ancestor that loses its identifier comes back with it")
  func identifierGone() throws {
    for isFull in [false, true] {
      let (app, restoration) = try scriptedLaunch(nil)
      let one = Scripted("one", number: 1)
      let two = Scripted("two", number: 2)
      two.text = "two"
      try app.append(one)
      try one.append(two)
      func save() throws -> [String] {
        let archive =
          isFull ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
        return try scriptedLaunch(archive).0.scriptedStates
      }
      #expect(try save() == ["one 1 initial", "two 2 two"])
      one.restorationIdentifier = nil
      #expect(try save() == [])
      two.text = "changed"
      one.restorationIdentifier = "again"
      #expect(try save() == ["again 1 initial", "two 2 changed"])
    }
  }

  @Test("A value that is not read and moved with its owner is in each later archive")
  func moved() throws {
    let archive = try Self.archive()
    for isFull in [false, true] {
      let (app, restoration) = try scriptedLaunch(archive)
      let all = app.children.map { $0 }
      try all[2].move(to: all[0])
      try all[0].move(to: all[1])
      let next =
        isFull ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
      let expected = ["b 1 b", "a 0 a", "c 2 c"]
      let (again, last) = try scriptedLaunch(next)
      #expect(last.archive(of: again, asksAll: false) == next)
      #expect(try scriptedLaunch(last.archive(of: again)).0.scriptedStates == expected)
      #expect(again.scriptedStates == expected)
      #expect(app.scriptedStates == expected)
    }
  }

  @Test("Erasing forgets what waits and what is kept")
  func erase() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    try world.reader(page: 2, mark: 1)
    try world.screen("unknown").restorationKind = "unknown"
    let again = try World.restored(world.archive) { _ = $0.app.expect(Notebook.self) }
    let found = try #require(again.app.children.first as? Reader)
    again.restoration.erase()
    again.app.provide(Notebook("root"))
    #expect(found.mark == nil)
    #expect(found.page == nil)
    let last = try World.restored(again.archive) { $0.app.provide(Notebook("root")) }
    #expect(last.restoration.report.records.map(\.path) == [[], ["reader"]])
    #expect((last.app.children.first as? Reader)?.mark == nil)
    #expect((last.app.children.first as? Reader)?.page == nil)
  }

  @Test("An archive that is restored while values wait ends the wait for the earlier ones")
  func restoreWhileWaiting() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    let reader = try world.reader()
    let without = world.archive
    reader.mark = PageNumber(notebook: "root", page: 1)
    reader.page = PageNumber(notebook: "root", page: 2)
    let with = world.archive
    let again = try World.restored(with) { _ = $0.app.expect(Notebook.self) }
    let found = try #require(again.app.children.first as? Reader)
    again.restoration.restore(without, into: again.app)
    again.app.provide(Notebook("root"))
    #expect(found.mark == nil)
    #expect(found.page == nil)
    again.restoration.restore(with, into: again.app)
    #expect(found.mark?.page == 1)
    #expect(found.page?.page == 2)
  }

  @Test(
    "A context that comes in didDecode, or in a decoder, finishes its responder once",
    arguments: [false, true])
  func finishesOnce(inDecoder: Bool) throws {
    let world = World()
    world.app.provide(Notebook("root"))
    try world.reader(mark: 1)
    try world.app.append(Scripted("scripted"))
    let archive = world.archive
    let again = World()
    let found = Scripted("scripted")
    try again.app.append(found)
    if inDecoder {
      found.onDecode = { $0.responder.application?.provide(Notebook("root")) }
    } else {
      again.restoration.didDecode = { $0.provide(Notebook("root")) }
    }
    again.app.launch(restoring: again.restoration, from: archive)
    #expect(again.events.lines.filter { $0 == "finish reader" }.count == 1)
    #expect(again.events.lines.filter { $0 == "decode reader" }.count == 1)
    #expect(again.app.children.compactMap { ($0 as? Reader)?.mark?.page } == [1])
    #expect(found.finished == 1)
  }

  @Test(
    "A responder that was there before the launch and has no record is saved with the changes",
    arguments: [false, true])
  func presentWithoutRecord(isEdited: Bool) throws {
    let (first, saving) = try scriptedLaunch(nil)
    try first.append(Scripted("a"))
    let (app, restoration) = try scriptedLaunch(saving.archive(of: first)) {
      try $0.append(Scripted("a"))
      try $0.append(Scripted("new", number: 7))
    }
    if isEdited { (app.children.last as? Scripted)?.text = "edited" }
    let expected = app.scriptedStates
    #expect(expected.count == 2)
    #expect(
      try scriptedLaunch(restoration.archive(of: app, asksAll: false)).0.scriptedStates == expected)
    #expect(try scriptedLaunch(restoration.archive(of: app)).0.scriptedStates == expected)
  }

  @Test(
    "A policy that code has declared against the archive is in the next save of changes")
  func declaredSlot() throws {
    let (app, restoration) = try scriptedLaunch(nil)
    try app.append(Scripted("a"))
    app.children[0].branch(Notebook.self, .follow)
    let (again, next) = try scriptedLaunch(restoration.archive(of: app)) {
      try $0.append(Scripted("a"))
      $0.children[0].branch(Notebook.self, .keep)
    }
    let (last, _) = try scriptedLaunch(next.archive(of: again, asksAll: false))
    #expect(last.children[0].slotSummaries.map(\.kind) == [.branch(.keep)])
  }

  @Test("A root view that becomes a child below a new responder is saved as a child")
  func otherRole() throws {
    let (app, restoration) = try scriptedLaunch(nil)
    let one = Scripted("a")
    try app.append(one)
    let view = ViewResponder()
    view.restorationIdentifier = "view"
    try one.setRootView(view)
    _ = restoration.archive(of: app)
    view.removeFromParent()
    let two = Scripted("b")
    try app.append(two)
    try two.append(view)
    let (again, _) = try scriptedLaunch(
      restoration.archive(of: app, asksAll: false),
      Restoration {
        for name in ["a", "b"] { Kind(name, Scripted.init) }
        Kind("view", ViewResponder.init)
      })
    #expect((again.children.last as? Controller)?.rootView == nil)
    #expect(again.children.last?.children.count == 1)
  }
}
