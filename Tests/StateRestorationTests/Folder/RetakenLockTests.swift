import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A lock that is taken again in a running process")
struct RetakenLockTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }
  private var lock: URL { folder.appending(path: "lock") }

  init() throws { drawer = try Drawer() }

  /// Returns a world that has one screen, and that has saved twice.
  private func world() throws -> StoredWorld {
    let world = StoredWorld(folder)
    try world.screen("screen").change("first")
    for _ in 0..<2 { try world.restoration.save() }
    return world
  }

  private func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try names(in: folder) where name.hasPrefix("state") {
      contents[name] = try fileBytes(folder.appending(path: name))
    }
    return contents
  }

  /// Makes a second world on the folder, in place of another process. Saves in it the given number
  /// of times.
  private func other(saves: Int) throws -> StoredWorld {
    let other = StoredWorld(folder)
    #expect(other.restoration.report.problems == [])
    for number in 0..<saves {
      other.screen?.change("other \(number)")
      try other.restoration.save()
    }
    return other
  }

  /// Checks that the next launch restores the note, and that the two files have different
  /// generations.
  private func check(_ note: String) throws {
    let next = StoredWorld(folder)
    #expect(next.screen?.note == note)
    #expect(next.restoration.report.problems == [])
    var generations: [UInt64] = []
    for name in ["state-0", "state-1"] {
      let bytes = try fileBytes(folder.appending(path: name))
      generations.append(StateArchive(bytes: bytes).validate().generation)
    }
    #expect(generations[0] != generations[1])
  }

  @Test(
    "While another process lives, nothing is saved, and afterwards the state is the newest",
    arguments: [1, 2, 5], [false, true])
  func removedLock(saves: Int, isAppended: Bool) throws {
    do {
      let world = try world()
      try FileManager.default.removeItem(at: lock)
      do {
        let other = try other(saves: saves)
        let before = try contents()
        world.screen?.change("mine")
        world.pass()
        world.restoration.finishWriting()
        #expect(throws: StateError.self) { try world.restoration.save() }
        #expect(try contents() == before)
        other.app.terminate()
      }
      world.screen?.change("mine again")
      if isAppended {
        // The first save finds the files of the other process. The second save is newer than these
        // files.
        for _ in 0..<2 {
          world.pass()
          world.restoration.finishWriting()
        }
      } else {
        try world.restoration.save()
      }
    }
    try check("mine again")
  }

  @Test(
    "A process that has terminated its application saves again after another one", arguments: 1...4)
  func terminated(saves: Int) throws {
    do {
      let world = try world()
      world.app.terminate()
      do {
        let other = try other(saves: saves)
        other.app.terminate()
      }
      world.screen?.change("mine")
      try world.restoration.save()
    }
    try check("mine")
  }

  @Test("A newer format that came meanwhile is not overwritten", arguments: ["state-0", "state-1"])
  func newerFormat(name: String) throws {
    let world = try world()
    try FileManager.default.removeItem(at: lock)
    let bytes = Array(try fileBytes(folder.appending(path: name)))
    try Data(Forgery.forge(bytes, format: 9)).write(to: folder.appending(path: name))
    let before = try contents()
    world.screen?.change("lost")
    world.pass()
    world.restoration.finishWriting()
    #expect(throws: StateError.self) { try world.restoration.save() }
    world.app.terminate()
    #expect(try contents() == before)
  }

  @Test("A guard whose page was removed with the folder is off, and the report says so")
  func guardPage() throws {
    let world = try world()
    #expect(world.restoration.isGuarded)
    try FileManager.default.removeItem(at: folder)
    world.screen?.change("again")
    try world.restoration.save()
    #expect(!world.restoration.isGuarded)
    #expect(world.restoration.report.notes.contains { $0.contains("crash guard is off") })
    world.app.terminate()
    let next = StoredWorld(folder)
    #expect(next.screen?.note == "again")
    #expect(next.restoration.isGuarded)
  }
}
