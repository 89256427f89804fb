import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Moving all archives to the quarantine")
struct SettingAsideTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  private static let archives = ["state-0", "state-1", "state-launch"]

  init() throws { drawer = try Drawer() }

  /// Makes a folder with the three files in ``archives``.
  private func make() throws {
    for number in 0..<2 {
      let world = StoredWorld(folder)
      if number == 0 { try world.screen("screen") }
      world.screen?.change("\(number)")
      try world.restoration.save()
      world.app.terminate()
    }
  }

  /// Returns the bytes of the archives that were not moved away, stored under their file names.
  private func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in Self.archives {
      let url = folder.appending(path: name)
      if FileManager.default.fileExists(atPath: url.path) { contents[name] = try fileBytes(url) }
    }
    return contents
  }

  /// Writes the guard's page. The page then says that four launches have crashed in a row.
  private func crash() throws {
    var state = GuardState()
    for _ in 0..<4 { state.policy.noteCrash(in: .decoding, hasNewCulprit: true) }
    #expect(state.policy.step == .nothing)
    var bytes = [UInt8](repeating: 0, count: MappedPage.size)
    bytes.replaceSubrange(0..<16, with: GuardPage.magic)
    let offset = GuardPage.offset(of: state)
    bytes.replaceSubrange(offset..<offset + state.encoded.count, with: state.encoded)
    try Data(bytes).write(to: folder.appending(path: "guard"))
  }

  @Test(
    "Something else named quarantine is renamed, and the archives are moved", .hangGuard,
    arguments: Obstacle.allCases)
  func obstacles(_ obstacle: Obstacle) throws {
    try make()
    try crash()
    let before = try contents()
    try obstacle.make(at: folder.appending(path: "quarantine"), in: drawer)
    let world = StoredWorld(folder)
    #expect(world.notes == [:])
    #expect(try contents() == [:])
    let moved = try names(in: folder.appending(path: "quarantine"))
    #expect(moved.count == 3)
    for name in moved {
      let bytes = try fileBytes(folder.appending(path: "quarantine/\(name)"))
      #expect(before[String(name.dropLast(2))] == bytes, "\(name)")
    }
    #expect(try names(in: folder).contains("quarantine.1") == (obstacle != .folder))
    #expect(try Data(contentsOf: drawer.file("victim")) == Data("precious".utf8))
    try world.screen("new")
    try world.restoration.save()
    world.restoration.erase()
    #expect(try names(in: folder).filter { $0.hasPrefix("quarantine.") } == [])
    #expect(try Data(contentsOf: drawer.file("victim")) == Data("precious".utf8))
  }

  @Test(
    "If they cannot be moved, they stay, nothing is restored or saved, and the next launch tries again",
    arguments: [FileStep.move, .makeFolder])
  func failing(_ step: FileStep) throws {
    try make()
    try crash()
    let before = try contents()
    #expect(before.count == 3)
    for _ in 0..<2 {
      // The first folder that is made is the state folder. This call succeeds, and the later ones
      // fail.
      let failing = FailingSteps(step, (step == .makeFolder ? 1 : 0)..<Int.max, EIO)
      let world = StoredWorld(folder, probe: failing.probe)
      #expect(world.notes == [:])
      #expect(world.restoration.report.problems.contains { $0.contains("Nothing is restored") })
      #expect(world.restoration.report.problems.contains { $0.contains("were not moved") })
      try world.screen("new").change("new")
      world.pass()
      world.restoration.finishWriting()
      #expect(throws: StateError.self) { try world.restoration.save() }
      world.app.enterBackground()
      world.app.terminate()
      #expect(try contents() == before)
    }
    do {
      let world = StoredWorld(folder)
      #expect(world.notes == [:])
      #expect(try contents() == [:])
      try world.screen("new").change("new")
      world.app.terminate()
    }
    #expect(StoredWorld(folder).notes == ["new": "new"])
  }

  @Test(
    "Of archives that are too large together, the older generation is removed", arguments: 0..<2)
  func pruning(_ last: Int) throws {
    do {
      let world = StoredWorld(folder)
      for _ in 0..<2 + last {
        try world.screen("screen").change("text")
        try world.restoration.save()
      }
    }
    let newest = "state-\(last == 0 ? 1 : 0)"
    let limits = RestorationLimits()
    let storage = FolderStorage(.at(folder))
    let loaded = storage.load(limits)
    #expect(loaded.newest?.name == newest)
    let archive = try #require(loaded.newest?.archive)
    try Data(archive.bytes).write(to: folder.appending(path: "state-launch"))
    for name in Self.archives {
      #expect(truncate(folder.appending(path: name).path, off_t(limits.archiveBytes)) == 0)
    }
    try storage.setAside()
    let moved = try names(in: folder.appending(path: "quarantine"))
    #expect(moved.map { $0.dropLast(2) } == [newest[...], "state-launch"])
  }
}
