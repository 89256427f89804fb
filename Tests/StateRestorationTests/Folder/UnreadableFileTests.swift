import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Files that cannot be read for a while")
struct UnreadableFileTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  static let numbers = [EMFILE, ENFILE, EIO, ENOMEM, EACCES]

  /// Makes a folder with three archives. The note is "older" in the older file, "newer" in the
  /// newer file, and "first" in the archive of the launch.
  private func make() throws {
    try? FileManager.default.removeItem(at: folder)
    do {
      let world = StoredWorld(folder)
      try world.screen("screen").change("first")
      try world.restoration.save()
    }
    let world = StoredWorld(folder)
    for note in ["older", "newer"] {
      world.screen?.change(note)
      try world.restoration.save()
    }
  }

  private func bytes(_ name: String) throws -> Data {
    try fileBytes(folder.appending(path: name))
  }

  /// Sets the note and saves, several times and in several ways. Returns whether the last call of
  /// `save()` has succeeded.
  private func save(_ world: StoredWorld) throws -> Bool {
    if world.screen == nil { try world.screen("screen") }
    world.screen?.change("lost")
    world.pass()
    world.restoration.finishWriting()
    world.screen?.change("saved")
    for _ in 0..<2 { try? world.restoration.save() }
    let isSaved = (try? world.restoration.save()) != nil
    world.app.terminate()
    return isSaved
  }

  // The first file that is opened is the lock. Then the headers of the three archives are read, and
  // then the content of the newest file, which is `state-0`.
  private static let newest = "state-0"

  @Test("If a header cannot be read, nothing is saved, and the report says so", arguments: numbers)
  func header(number: Int32) throws {
    for step in [FileStep.open, .read] {
      for call in 0..<3 {
        try make()
        let before = try ["state-0", "state-1", "state-launch"].map { try bytes($0) }
        do {
          let place = step == .open ? call + 1 : call
          let failing = FailingSteps(step, place..<place + 1, number)
          let world = StoredWorld(folder, probe: failing.probe)
          #expect(world.screen?.note == (call == 0 ? "older" : "newer"), "\(step) \(call)")
          let problems = world.restoration.report.problems
          #expect(problems.contains { $0.contains("does not save") }, "\(step) \(call)")
          #expect(try !save(world), "\(step) \(call)")
        }
        #expect(try ["state-0", "state-1", "state-launch"].map { try bytes($0) } == before)
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "quarantine").path))
        let next = StoredWorld(folder)
        #expect(next.screen?.note == "newer")
        #expect(next.restoration.report.problems == [])
      }
    }
  }

  @Test(
    "If only the content cannot be read, the other file is used and replaced", arguments: numbers)
  func content(number: Int32) throws {
    for step in [FileStep.open, .read] {
      try make()
      let before = try bytes(Self.newest)
      do {
        let place = step == .open ? 4 : 3
        let failing = FailingSteps(step, place..<place + 1, number)
        let world = StoredWorld(folder, probe: failing.probe)
        #expect(world.screen?.note == "older")
        let problems = world.restoration.report.problems
        #expect(problems.contains { $0.contains("\(Self.newest) could not be read") })
        #expect(try save(world))
      }
      #expect(try bytes(Self.newest) == before)
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "quarantine").path))
      let next = StoredWorld(folder)
      #expect(next.screen?.note == "saved")
      #expect(next.restoration.report.problems == [])
    }
  }

  @Test("If no content can be read, nothing is saved", arguments: numbers)
  func nothing(number: Int32) throws {
    for step in [FileStep.open, .read] {
      try make()
      do {
        let place = step == .open ? 4 : 3
        let world = StoredWorld(folder, probe: FailingSteps(step, place..<place + 3, number).probe)
        #expect(world.screen == nil)
        #expect(try !save(world))
      }
      let next = StoredWorld(folder)
      #expect(next.screen?.note == "newer")
      #expect(next.restoration.report.problems == [])
    }
  }

  @Test("If the only generation cannot be read, no defaults replace it", arguments: numbers)
  func only(number: Int32) throws {
    for call in 3...4 {
      try make()
      for name in ["state-1", "state-launch"] {
        try FileManager.default.removeItem(at: folder.appending(path: name))
      }
      do {
        let world = StoredWorld(folder, probe: FailingSteps(.open, call..<call + 1, number).probe)
        #expect((world.screen == nil) == (call == 4))
        // The call that fails may also be one that opens a missing file.
        #expect(try !save(world))
      }
      #expect(StoredWorld(folder).screen?.note == "newer")
    }
  }

  @Test("Reports that cannot be read are not replaced")
  func reports() throws {
    try make()
    let before = try bytes("reports.json")
    let failing = FailingSteps(.open, 6..<Int.max, EIO)
    let world = StoredWorld(folder, probe: failing.probe)
    world.restoration.finishWriting()
    #expect(try bytes("reports.json") == before)
  }

  @Test("All state can be erased although a file cannot be read")
  func erasing() throws {
    try make()
    let world = StoredWorld(folder, probe: FailingSteps(.open, 1..<2, EIO).probe)
    world.restoration.erase()
    #expect(try names(in: folder) == [])
  }
}
