import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A damaged record of a file")
struct DamagedBaseTests {
  private static let isFull = ProcessInfo.processInfo.environment["LINEAGE_LAWS"] == "full"

  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  private func url(_ name: String) -> URL { folder.appending(path: name) }

  private func bytes(_ name: String) throws -> [UInt8] { Array(try fileBytes(url(name))) }

  /// Makes a folder whose older file has three screens with the note "older", and whose newer file
  /// has the same screens with the note "newer".
  private func make() throws {
    let world = StoredWorld(folder)
    for name in ["a", "b", "c"] { try world.screen(name).change("older") }
    try world.restoration.save()
    for case let screen as Screen in world.app.children { screen.change("newer") }
    try world.restoration.save()
  }

  /// Writes a wrong bit into a record of a file. The record then does not match its checksum.
  ///
  /// - Returns: The bytes of the damaged file.
  @discardableResult
  private func damage(_ name: String, _ index: Int) throws -> [UInt8] {
    var bytes = try bytes(name)
    let item = Forgery(bytes).items[index]
    bytes[item.position + Forgery.Item.headerSize + item.payload.count - 1] ^= 1
    try Data(bytes).write(to: url(name))
    return bytes
  }

  private static func notes(_ note: String) -> [String: String] {
    ["a": note, "b": note, "c": note]
  }

  @Test(
    "The older file is used if it is whole, and all screens are there",
    arguments: 0...3)
  func newer(_ index: Int) throws {
    try make()
    let damaged = try damage("state-1", index)
    do {
      let world = StoredWorld(folder)
      #expect(world.notes == Self.notes("older"))
      let report = world.restoration.report
      #expect(report.archive.damaged == 0)
      #expect(report.problems.count == 1)
      #expect(report.problems.first?.contains("state-1 was not used") == true)
      #expect(report.problems.first?.contains("damaged") == true)
      #expect(report.notes.contains { $0.contains("state-0 was used") })
      world.screen?.change("changed")
      world.pass()
      world.restoration.finishWriting()
      #expect(try names(in: url("quarantine")) == ["state-1.1"])
      #expect(try bytes("quarantine/state-1.1") == damaged)
      for _ in 0..<2 { try world.restoration.save() }
    }
    let again = StoredWorld(folder)
    #expect(again.notes == ["a": "changed", "b": "older", "c": "older"])
    #expect(again.restoration.report.problems == [])
  }

  @Test("A damaged older file is not looked at")
  func older() throws {
    try make()
    try damage("state-0", 1)
    let world = StoredWorld(folder)
    #expect(world.notes == Self.notes("newer"))
    #expect(world.restoration.report.problems == [])
  }

  @Test("If both files are damaged, the newer one is used, and neither is lost")
  func both() throws {
    try make()
    let older = try damage("state-0", 1)
    let newer = try damage("state-1", 3)
    do {
      let world = StoredWorld(folder)
      #expect(world.notes == ["a": "newer", "b": "newer"])
      let problems = world.restoration.report.problems
      #expect(problems.contains { $0.contains("state-0 was not used") })
      #expect(problems.contains("Damaged records of the archive: 1."))
      world.screen?.change("changed")
      world.pass()
      world.restoration.finishWriting()
      #expect(try bytes("quarantine/state-0.1") == older)
      // The file that was restored is moved to the quarantine when another file has the state.
      #expect(try bytes("quarantine/state-1.2") == newer)
    }
    let again = StoredWorld(folder)
    #expect(again.notes == ["a": "changed", "b": "newer"])
    #expect(again.restoration.report.problems == [])
  }

  @Test("A damaged archive replaces no archive of a launch that is whole and has more records")
  func atLaunch() throws {
    try make()
    do {
      let world = StoredWorld(folder)
      world.screen?.change("last")
      world.app.terminate()
    }
    let kept = try bytes("state-launch")
    for name in ["state-0", "state-1"] { for index in 1...3 { try damage(name, index) } }
    do {
      let world = StoredWorld(folder)
      #expect(world.notes == [:])
      try world.screen("new").change("new")
      world.app.terminate()
    }
    #expect(try bytes("state-launch") == kept)
    // The archive that the next launch restores is whole again.
    let world = StoredWorld(folder)
    #expect(world.notes == ["new": "new"])
    world.screen?.change("newer")
    world.app.terminate()
    #expect(try bytes("state-launch") != kept)
  }

  @Test("Changed bytes of the newer file lose no screen that both files have", .hangGuard)
  func mutations() throws {
    try make()
    do {
      let world = StoredWorld(folder)
      world.screen?.change("newest")
      world.pass()
      world.restoration.finishWriting()
    }
    let newer = try bytes("state-1")
    var random = SplitMix64(seed: SplitMix64.seed(35))
    for round in 0..<(Self.isFull ? 100_000 : rounds(8_000)) {
      var changed = newer
      if round % 2 == 0 {
        for _ in 0...random.below(4) {
          changed[random.below(changed.count)] ^= 1 << UInt8(random.below(8))
        }
      } else {
        changed = Forgery.damage(newer, &random)
      }
      try Data(changed).write(to: url("state-1"))
      let state = FolderFiles(.at(folder)).load(RestorationLimits())
      let world = World()
      world.app.launch(restoring: world.restoration, from: state.newest?.tree.archive)
      let names = world.app.children.map { $0.restorationIdentifier }
      guard names == ["a", "b", "c"] else {
        Issue.record("round \(round): \(names)\n\(state.problems)\n\(changed)")
        return
      }
    }
  }
}
