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
  // then the content of the newest file, which is `state-0`. A call that fails is repeated once.
  private static let files = ["state-0", "state-1", "state-launch"]

  /// Returns a probe with which a file cannot be read. The index 3 means the content of the newest
  /// file; a lower index means the header of the file with this index.
  private func failing(_ step: FileStep, _ index: Int, times: Int, _ number: Int32) -> FailingSteps
  {
    let place = step == .open ? index + 1 : index
    return FailingSteps(step, place..<place + times, number)
  }

  @Test("A call that fails once is repeated", arguments: numbers, [FileStep.open, .read])
  func once(number: Int32, step: FileStep) throws {
    for index in 0...3 {
      try make()
      let world = StoredWorld(folder, probe: failing(step, index, times: 1, number).probe)
      #expect(world.screen?.note == "newer", "\(index)")
      #expect(world.restoration.report.problems == [], "\(index)")
      #expect(try save(world), "\(index)")
    }
  }

  @Test(
    "A file that cannot be read is kept under another name, and the session saves",
    arguments: numbers, [FileStep.open, .read])
  func kept(number: Int32, step: FileStep) throws {
    for index in 0...3 {
      try make()
      let name = Self.files[index % 3]
      let before = try bytes(name)
      do {
        let world = StoredWorld(folder, probe: failing(step, index, times: 2, number).probe)
        #expect(world.screen?.note == (name == "state-0" ? "older" : "newer"), "\(index)")
        let problems = world.restoration.report.problems
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("\(name) could not be read.") == true, "\(index)")
        #expect(problems.first?.contains("\(name).kept") == true, "\(index)")
        // Until the first save, the next launch could read the file.
        #expect(try bytes(name) == before)
        #expect(try save(world), "\(index)")
      }
      #expect(try bytes("\(name).kept") == before)
      do {
        let next = StoredWorld(folder)
        #expect(next.screen?.note == "saved", "\(index)")
        #expect(next.restoration.report.problems == [])
        #expect(next.restoration.report.notes.contains { $0.contains("\(name).kept") })
      }
      guard name == "state-0" else { continue }
      let last = StoredWorld(in: .at(folder)) { $0.restoration.bringBackArchives() }
      #expect(last.screen?.note == "newer", "\(index)")
    }
  }

  @Test("If it cannot be renamed, nothing is saved, and all files stay", arguments: numbers)
  func notRenamed(number: Int32) throws {
    for index in 0...3 {
      try make()
      let before = try Self.files.map { try bytes($0) }
      do {
        let failing = failing(.open, index, times: 2, number)
        let world = StoredWorld(folder) { $0 == .move ? EIO : failing.probe($0) }
        #expect(try !save(world), "\(index)")
        world.app.drain()
        #expect(world.restoration.report.problems.contains { $0.contains("could not be renamed") })
      }
      #expect(try Self.files.map { try bytes($0) } == before, "\(index)")
      #expect(StoredWorld(folder).screen?.note == "newer")
    }
  }

  @Test("If no file can be opened for a new archive, none is renamed")
  func noDescriptors() throws {
    try make()
    let failing = failing(.open, 3, times: 2, EMFILE)
    do {
      let world = StoredWorld(folder) { $0 == .create ? EMFILE : failing.probe($0) }
      #expect(world.screen?.note == "older")
      #expect(try !save(world))
    }
    #expect(StoredWorld(folder).screen?.note == "newer")
  }

  @Test("If no file can be read, all are kept, and come back", arguments: numbers)
  func nothing(number: Int32) throws {
    try make()
    do {
      let world = StoredWorld(folder, probe: FailingSteps(.read, 0..<6, number).probe)
      #expect(world.screen == nil)
      #expect(try save(world))
    }
    #expect(StoredWorld(folder).screen?.note == "saved")
    let world = StoredWorld(in: .at(folder)) { $0.restoration.bringBackArchives() }
    #expect(world.screen?.note == "newer")
  }

  @Test("Without descriptors for reading, the newest state still comes back")
  func quarantine() throws {
    try make()
    // An earlier kept archive is moved to the quarantine before another one gets its name.
    try Data("earlier".utf8).write(to: folder.appending(path: "state-0.kept"))
    let failing = failing(.open, 3, times: 2, EMFILE)
    do {
      let world = StoredWorld(folder, probe: failing.probe)
      #expect(try save(world))
    }
    #expect(try bytes("quarantine/state-0.kept.1") == Data("earlier".utf8))
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
    let world = StoredWorld(folder, probe: FailingSteps(.open, 4..<6, EIO).probe)
    #expect(world.screen?.note == "older")
    world.restoration.erase()
    #expect(try names(in: folder).count == 1)
    for name in try names(in: folder) {
      #expect(try bytes(name).range(of: Data("newer".utf8)) == nil)
    }
  }
}
