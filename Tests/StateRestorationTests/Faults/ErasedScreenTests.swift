import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Synchronization
import Testing

@Suite("Faults of erasing while screens are in the tree")
struct ErasedScreenTests {
  /// Returns a restoration whose only kind is a closure, so that no class names the kind.
  private static func restoration() -> Restoration {
    Restoration { Kind("screen") { $0.existing ?? Screen(Events()) } }
  }

  /// Launches an application. Returns it with its restoration.
  private static func launch(_ archive: StateArchive?) -> (App, Restoration) {
    let (app, restoration) = (App(), restoration())
    app.launch(restoring: restoration, from: archive)
    return (app, restoration)
  }

  /// Returns the archive of an account with an inbox.
  private static func archive() throws -> StateArchive {
    let (app, restoration) = launch(nil)
    let account = Screen(app.events, "account")
    account.restorationKind = "screen"
    try app.append(account)
    let inbox = Screen(app.events, "inbox")
    inbox.restorationKind = "screen"
    try account.append(inbox)
    return restoration.archive(of: app)
  }

  /// Types into all screens, saves, and returns the notes of the next process.
  private static func next(_ app: App, _ restoration: Restoration) -> [String?] {
    for case let screen as Screen in app.descendants {
      screen.note = "typed"
      screen.invalidateRestorableState()
    }
    let (again, _) = launch(restoration.archive(of: app, asksAll: false))
    return again.descendants.map { ($0 as? Screen)?.note }
  }

  @Test("A log-out keeps the screens, with all that is typed later", arguments: [["account"], []])
  func erasing(path: [String]) throws {
    let (app, restoration) = Self.launch(try Self.archive())
    #expect(app.descendants.count(where: { $0 is Screen }) == 2)
    restoration.erase(at: path)
    let notes = Self.next(app, restoration)
    #expect(notes == ["typed", "typed"])
  }

  @Test("Restoring another archive keeps the kinds of the screens that it does not have")
  func restoring() throws {
    let (app, restoration) = Self.launch(try Self.archive())
    let (empty, other) = Self.launch(nil)
    restoration.restore(other.archive(of: empty), into: app)
    #expect(app.descendants.count(where: { $0 is Screen }) == 2)
    #expect(Self.next(app, restoration) == ["typed", "typed"])
  }
}

@Suite("Faults of erasing on a full disk")
struct ErasedOnFullDiskTests {
  private let drawer: Drawer
  private var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  /// A probe that lets no file be made from the time when it is armed. It counts the calls that
  /// change files.
  private final class FullDisk: Sendable {
    let isFull = Atomic(false)
    let changes = Atomic(0)

    @Sendable func probe(_ step: FileStep) -> Int32 {
      guard isFull.load(ordering: .relaxed) else { return 0 }
      if [.create, .write, .rename, .move, .remove].contains(step) {
        changes.add(1, ordering: .relaxed)
      }
      return step == .create ? ENOSPC : 0
    }
  }

  /// Saves two screens with texts of the given lengths, and removes the first one if wanted. Then
  /// erases a path while the disk is full. Returns the notes of the next process, and the notes of
  /// the report. The sentence is what the erased screen says.
  private func erase(
    at path: [String], removing: Bool, more: String = "", _ disk: FullDisk = FullDisk()
  ) throws -> (state: [String: String], report: [String]) {
    let report: [String]
    do {
      let world = StoredWorld(folder, probe: disk.probe)
      for name in ["a", "b"] {
        let screen = try world.screen(name)
        screen.restorationKind = "screen"
        screen.change("secret of \(name)")
      }
      try world.restoration.save()
      if removing { world.app.children.first?.removeFromParent() }
      if !more.isEmpty { (world.app.children.last as? Screen)?.change("secret of b" + more) }
      world.restoration.finishWriting()
      disk.isFull.store(true, ordering: .relaxed)
      world.restoration.erase(at: path)
      #expect(world.restoration.report.problems == [])
      report = world.restoration.report.notes
      disk.isFull.store(false, ordering: .relaxed)
    }
    return (StoredWorld(folder).notes, report)
  }

  @Test("The state beside the erased path stays", arguments: [0, 10, 10_000])
  func others(length: Int) throws {
    let more = String(repeating: "x", count: length)
    let (state, report) = try erase(at: ["a"], removing: true, more: more)
    #expect(state == ["b": "secret of b" + more])
    #expect(report.contains { $0.contains("state-0 was overwritten in place") })
    for name in try names(in: folder) {
      let bytes = try fileBytes(folder.appending(path: name))
      #expect(bytes.range(of: Data("secret of a".utf8)) == nil, "\(name)")
    }
  }

  @Test("If not even the old file can be overwritten, no erased state is left")
  func nothingWritable() throws {
    let isFull = Atomic(false)
    do {
      let world = StoredWorld(folder) { step in
        isFull.load(ordering: .relaxed) && [.create, .write].contains(step) ? ENOSPC : 0
      }
      try world.screen("a").change("secret of a")
      try world.restoration.save()
      world.screen?.removeFromParent()
      isFull.store(true, ordering: .relaxed)
      world.restoration.erase(at: ["a"])
      #expect(world.restoration.report.problems.contains { $0.contains("not erased") })
    }
    for name in try names(in: folder) {
      let bytes = try fileBytes(folder.appending(path: name))
      #expect(bytes.range(of: Data("secret of a".utf8)) == nil, "\(name)")
    }
  }

  @Test("A path without state costs nothing, and no file is written")
  func nothing() throws {
    let disk = FullDisk()
    let (state, _) = try erase(at: ["elsewhere"], removing: false, disk)
    #expect(state == ["a": "secret of a", "b": "secret of b"])
    #expect(disk.changes.load(ordering: .relaxed) == 0)
  }

  @Test("A change that waits to be written is written after an erase that finds nothing")
  func waiting() throws {
    do {
      let world = StoredWorld(folder)
      try world.screen("a").change("first")
      try world.restoration.save()
      world.screen?.change("second")
      world.pass()
      world.restoration.erase(at: ["elsewhere"])
    }
    #expect(StoredWorld(folder).notes == ["a": "second"])
  }
}
