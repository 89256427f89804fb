import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Saves at odd moments, and values that wait")
struct SavingWhileTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  /// Makes a folder with the state of a screen and of a reader below the screen. Two values of the
  /// reader need a notebook.
  private func prepare() throws {
    let world = StoredWorld(folder)
    world.app.provide(Notebook("root"))
    let holder = try world.screen("screen")
    holder.change("note")
    let reader = Reader(world.events, "reader")
    reader.mark = PageNumber(notebook: "root", page: 3)
    try holder.append(reader)
    reader.page = PageNumber(notebook: "root", page: 5)
    reader.draft = "half"
    world.app.terminate()
  }

  private func find(_ app: Application) -> Reader? {
    app.descendants.first { $0 is Reader } as? Reader
  }

  /// Launches with an available notebook, and checks that no waiting value is lost.
  private func check(_ comment: String) throws {
    let world = StoredWorld(in: .at(folder)) { $0.app.provide(Notebook("root")) }
    let reader = try #require(find(world.app), "\(comment)")
    #expect(reader.mark == PageNumber(notebook: "root", page: 3), "\(comment)")
    #expect(reader.page == PageNumber(notebook: "root", page: 5), "\(comment)")
    #expect(world.restoration.report.problems == [], "\(comment)")
  }

  /// Returns whether a file contains the bytes of the reader's two references to pages.
  private func kept(_ name: String) throws -> Bool {
    let data = try Data(contentsOf: folder.appending(path: name))
    return data.range(of: Data("root#3".utf8)) != nil && data.range(of: Data("root#5".utf8)) != nil
  }

  @Test("The program is killed three times while the store opens, and nothing is lost")
  func waiting() throws {
    try prepare()
    for launch in 0..<3 {
      let world = StoredWorld(in: .at(folder)) { world in
        _ = world.app.expect(Notebook.self)
      }
      #expect(world.restoration.report.count(.waiting) == 1)
      find(world.app)?.draft = "draft \(launch)"
      if launch == 1 {
        try world.restoration.save()
      } else {
        world.pass()
        world.restoration.finishWriting()
      }
      // The application is dropped without an end, as if the process were killed.
    }
    for name in try names(in: folder) where name.hasPrefix("state") { #expect(try kept(name)) }
    try check("after three launches")
  }

  enum Moment: String, CaseIterable {
    case factory, decode, finished, ask, didDecode, report, round, twice, background
  }

  @Test("A save is asked for while something else is going on", arguments: Moment.allCases)
  func moments(moment: Moment) throws {
    try prepare()
    do {
      let events = Events()
      let app = SavingApp()
      _ = app.expect(Notebook.self)
      let clock = ManualSaveClock()
      var own: Restoration?
      func save(_ now: Moment) {
        guard now == moment else { return }
        for _ in 0..<2 {
          #expect(throws: Never.self) { try own?.save() }
        }
      }
      let restoration = Restoration(in: .at(folder), clock: clock) {
        Kind("screenOfClass") { _ in
          save(.factory)
          return SavingScreen { save($0) }
        }
        Kind("reader") { _ in Reader(events) }
        ContextName("notes", Notebook.self)
      }
      own = restoration
      restoration.ask = { _ in
        save(.ask)
        return .all
      }
      restoration.didDecode = { _ in save(.didDecode) }
      restoration.onReport = { _ in save(.report) }
      app.launch(restoring: restoration)
      switch moment {
      case .round:
        app.batch {
          find(app)?.draft = "in a round"
          save(.round)
        }
      case .twice: save(.twice)
      case .background:
        app.enterBackground()
        app.enterForeground()
      default: break
      }
      clock.advance(by: 0.25)
      app.drain()
      restoration.finishWriting()
      #expect(restoration.report.problems == [], "\(moment)")
      own = nil
    }
    for name in try names(in: folder) where name.hasPrefix("state-") {
      #expect(try kept(name), "\(moment): \(name)")
    }
    #expect(try names(in: folder).allSatisfy { !$0.hasPrefix(".") })
    try check(moment.rawValue)
  }

  @Test("A set property is saved although another one waits, and the waiting one is kept")
  func edit() throws {
    try prepare()
    do {
      let world = StoredWorld(in: .at(folder)) { world in
        _ = world.app.expect(Notebook.self)
      }
      find(world.app)?.page = nil
      world.pass()
    }
    let world = StoredWorld(in: .at(folder)) { $0.app.provide(Notebook("root")) }
    #expect(find(world.app)?.page == nil)
    #expect(find(world.app)?.mark == PageNumber(notebook: "root", page: 3))
  }

  @Test("When the store is there at last, its values are saved by themselves")
  func late() throws {
    try prepare()
    var delivery: Delivery<Notebook>?
    let world = StoredWorld(in: .at(folder)) { delivery = $0.app.expect(Notebook.self) }
    world.pass()
    #expect(world.clock.timerCount == 0)
    delivery?.deliver(Notebook("root"))
    world.app.drain()
    #expect(find(world.app)?.mark?.page == 3)
    #expect(world.clock.timerCount == 1)
    world.pass()
    world.app.terminate()
    try check("after a late store")
  }
}

private final class SavingApp: Application {}

/// A screen that saves while it is decoded, and again in `didFinishRestoring()`.
private final class SavingScreen: Controller, StateRestoring, RestorationFinishing {
  private let save: (SavingWhileTests.Moment) -> Void
  private var note: String?

  init(_ save: @escaping (SavingWhileTests.Moment) -> Void) {
    self.save = save
    super.init()
  }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(1.0, for: "zoom")
    try coder.encode(note, for: "note")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    note = try coder.decode("note")
    save(.decode)
  }

  func didFinishRestoring() { save(.finished) }
}
