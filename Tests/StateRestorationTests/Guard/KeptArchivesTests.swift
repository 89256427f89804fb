import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Archives that a launch keeps because it restores nothing")
struct KeptArchivesTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  private static let archives = ["state-0", "state-1", "state-launch"]
  private static let kept = archives.map { "\($0).kept" }

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

  /// Returns the bytes of the files with the given names, as far as they exist.
  private func contents(_ names: [String]) throws -> [Data] {
    try names.map { folder.appending(path: $0) }
      .filter { FileManager.default.fileExists(atPath: $0.path) }.map { try fileBytes($0) }
  }

  /// Writes the guard's page. The page then says that six launches in a row have ended.
  private func crash() throws {
    var book = StrikeBook(version: "")
    for number in 1...6 { _ = book.begin(version: "", lastEnd: .test(number)) }
    var bytes = [UInt8](repeating: 0, count: MappedPage.size)
    bytes.replaceSubrange(0..<16, with: FoundStrikes.magic)
    let encoded = book.encoded
    for offset in FoundStrikes.bookOffsets {
      bytes.replaceSubrange(offset..<offset + encoded.count, with: encoded)
    }
    try Data(bytes).write(to: folder.appending(path: "guard"))
  }

  @Test("They are renamed, and renamed back before or after the launch that the app asks")
  func roundTrip() throws {
    for isBefore in [true, false] {
      try? FileManager.default.removeItem(at: folder)
      try make()
      try crash()
      let before = try contents(Self.archives)
      #expect(before.count == 3)
      do {
        let world = StoredWorld(folder)
        #expect(world.notes == [:])
        #expect(world.restoration.report.notes.contains { $0.contains("state-launch.kept") })
        #expect(try contents(Self.archives) == [] && contents(Self.kept) == before)
        try world.screen("new").change("new")
        if !isBefore { world.restoration.bringBackArchives() }
        world.app.terminate()
      }
      if isBefore { #expect(StoredWorld(folder).notes == ["new": "new"]) }
      let world = StoredWorld(in: .at(folder)) { world in
        if isBefore { world.restoration.bringBackArchives() }
      }
      #expect(world.notes == ["screen": "1"])
      #expect(world.restoration.report.problems == [] && world.restoration.report.notes == [])
      #expect(try contents(Self.kept) == [])
      world.screen?.change("2")
      world.app.terminate()
      #expect(StoredWorld(folder).notes == ["screen": "2"])
    }
  }

  @Test("A second time, the archives that are kept already go to the quarantine")
  func twice() throws {
    for number in 0..<2 {
      try make()
      try crash()
      StoredWorld(folder).app.terminate()
      #expect(try contents(Self.kept).count == 3, "\(number)")
    }
    let moved = try names(in: folder.appending(path: "quarantine"))
    #expect(moved.count == 3 && moved.allSatisfy { $0.contains(".kept.") })
  }

  @Test("Erasing removes them")
  func erased() throws {
    try make()
    try crash()
    let world = StoredWorld(folder)
    world.restoration.erase(at: ["screen"])
    #expect(try contents(Self.kept) == [])
  }

  @Test(
    "If they cannot be renamed, they stay, nothing is restored or saved, and the next launch tries again"
  )
  func failing() throws {
    try make()
    try crash()
    let before = try contents(Self.archives)
    for _ in 0..<2 {
      let failing = FailingSteps(.move, 0..<Int.max, EIO)
      let world = StoredWorld(folder, probe: failing.probe)
      #expect(world.notes == [:])
      #expect(world.restoration.report.problems.contains { $0.contains("Nothing is restored") })
      #expect(world.restoration.report.problems.contains { $0.contains("were not kept") })
      try world.screen("new").change("new")
      world.pass()
      world.restoration.finishWriting()
      #expect(throws: StateError.self) { try world.restoration.save() }
      world.app.enterBackground()
      world.app.terminate()
      #expect(try contents(Self.archives) == before)
    }
    do {
      let world = StoredWorld(folder)
      #expect(world.notes == [:])
      #expect(try contents(Self.kept) == before)
      try world.screen("new").change("new")
      world.app.terminate()
    }
    #expect(StoredWorld(folder).notes == ["new": "new"])
  }

  @Test("If they cannot be renamed back, nothing is saved, and they are not lost")
  func failingBack() throws {
    try make()
    try crash()
    StoredWorld(folder).app.terminate()
    let before = try contents(Self.kept)
    do {
      let failing = FailingSteps(.move, 0..<Int.max, EIO)
      let world = StoredWorld(in: .at(folder), probe: failing.probe) {
        $0.restoration.bringBackArchives()
      }
      #expect(world.restoration.report.problems.contains { $0.contains("not brought back") })
      try world.screen("new").change("new")
      world.app.terminate()
      #expect(try contents(Self.kept) == before)
    }
    let world = StoredWorld(in: .at(folder)) { $0.restoration.bringBackArchives() }
    #expect(world.notes == ["screen": "1"])
  }
}
