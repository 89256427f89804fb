import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The files of a state folder from launch to launch")
struct KeepingFilesTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: name)))
  }

  private func notes(_ name: String) throws -> [String: String] {
    let world = World()
    world.app.launch(restoring: world.restoration, from: StateArchive(bytes: try bytes(name)))
    var notes: [String: String] = [:]
    for case let screen as Screen in world.app.descendants {
      notes[screen.name] = screen.note ?? ""
    }
    return notes
  }

  @Test("A valid archive of an empty tree does not destroy the last good state")
  func emptyTree() throws {
    do {
      let world = StoredWorld(folder)
      try world.screen("screen").change("precious")
      world.app.terminate()
    }
    for _ in 0..<4 {
      // A faulty version of the program removes all screens, and saves often.
      let world = StoredWorld(folder)
      for child in Array(world.app.children) { child.removeFromParent() }
      for _ in 0..<3 { try world.restoration.save() }
      world.app.terminate()
    }
    #expect(try notes("state-launch") == ["screen": "precious"])
    let world = StoredWorld(folder)
    #expect(world.notes == [:])
    let archive = try #require(StateFolder.at(folder).archiveAtLaunch)
    world.restoration.restore(archive, into: world.app)
    #expect(world.notes == ["screen": "precious"])
    world.app.terminate()
    #expect(StoredWorld(folder).notes == ["screen": "precious"])
  }

  @Test("The state at the launch is written before the first change is")
  func atLaunch() throws {
    for number in 0..<4 {
      let world = StoredWorld(folder)
      if number == 0 { try world.screen("screen") }
      world.screen?.change("text \(number)")
      world.pass()
      world.restoration.finishWriting()
      if number > 0 { #expect(try notes("state-launch") == ["screen": "text \(number - 1)"]) }
      world.screen?.change("text \(number)")
      try world.restoration.save()
      if number > 0 { #expect(try notes("state-launch") == ["screen": "text \(number - 1)"]) }
      world.app.terminate()
    }
  }

  @Test("A launch without changes writes no state before it ends")
  func unchanged() throws {
    do {
      let world = StoredWorld(folder)
      try world.screen("screen")
      world.app.terminate()
    }
    let before = try bytes("state-0")
    let world = StoredWorld(folder)
    world.pass(10)
    world.restoration.finishWriting()
    #expect(try bytes("state-0") == before)
    #expect(try names(in: folder) == ["reports.json", "state-0"])
  }

  @Test(
    "A newer format in any file is neither read nor overwritten, and works after the upgrade",
    arguments: ["state-0", "state-1", "state-launch"])
  func newerFormat(name: String) throws {
    do {
      let world = StoredWorld(folder)
      try world.screen("screen").change("older")
      try world.restoration.save()
      world.screen?.change("newer")
      try world.restoration.save()
      world.app.terminate()
      let again = StoredWorld(folder)
      again.screen?.change("newest")
      again.app.terminate()
    }
    let good = try bytes(name)
    let newer = Forgery.forge(good, format: 9)
    try Data(newer).write(to: folder.appending(path: name))
    func contents() throws -> [String: [UInt8]] {
      var contents: [String: [UInt8]] = [:]
      for name in try names(in: folder) where name != "quarantine" {
        contents[name] = try bytes(name)
      }
      return contents
    }
    let before = try contents()
    do {
      let world = StoredWorld(folder)
      #expect(world.screen != nil)
      #expect(world.restoration.report.problems.contains { $0.contains("does not save") })
      world.screen?.change("lost")
      world.pass()
      #expect(throws: StateError.self) { try world.restoration.save() }
      world.app.enterBackground()
      world.app.terminate()
    }
    #expect(try contents() == before)
    try Data(good).write(to: folder.appending(path: name))
    let upgraded = StoredWorld(folder)
    #expect(upgraded.screen?.note == "newest")
    #expect(upgraded.restoration.report.problems == [])
  }

  @Test("An older archive that is restored into a running application is the newest afterwards")
  func olderArchive() throws {
    let old: StateArchive
    do {
      let world = StoredWorld(folder)
      try world.screen("screen").change("first")
      old = world.restoration.archive(of: world.app)
      for number in 0..<6 {
        world.screen?.change("later \(number)")
        try world.restoration.save()
      }
      world.restoration.restore(old, into: world.app)
      #expect(world.screen?.note == "first")
      world.pass()
      world.restoration.finishWriting()
    }
    #expect(StoredWorld(folder).screen?.note == "first")
  }

  @Test("A folder that is removed while the program runs is made again")
  func removedFolder() throws {
    let world = StoredWorld(folder)
    try world.screen("screen").change("one")
    try world.restoration.save()
    try FileManager.default.removeItem(at: folder)
    world.screen?.change("two")
    world.pass()
    world.restoration.finishWriting()
    #expect(try notes("state-0") == ["screen": "two"])
    world.screen?.change("three")
    world.pass()
    world.restoration.finishWriting()
    #expect(try notes("state-1") == ["screen": "three"])
    #expect(world.restoration.report.problems == [])
    #expect(
      StoredWorld(folder).restoration.report.problems.first?.contains("Another process") == true)
  }

  @Test("The same tree and the same generation give the same bytes")
  func determinism() throws {
    func write() throws -> [[UInt8]] {
      try? FileManager.default.removeItem(at: folder)
      let world = StoredWorld(folder)
      for number in 0..<5 { try world.screen("screen \(number)").change("text \(number)") }
      try world.restoration.save()
      world.screen?.change("changed")
      world.pass()
      world.restoration.finishWriting()
      world.app.terminate()
      return try names(in: folder).map { try bytes($0) }
    }
    #expect(try write() == write())
  }

  @Test("The reports of the last three launches are kept")
  func reports() throws {
    struct Line: Decodable {
      let launch: Int
      let date: String
      let appVersion: String
      let problems: [String]
      let counts: [String: Int]
    }
    for number in 1...5 {
      let clock = ManualSaveClock()
      clock.advance(by: Double(number) * 86_400)
      let world = StoredWorld(folder, clock: clock)
      world.restoration.appVersion = "1.\(number)"
      if number == 1 { try world.screen("screen") }
      world.screen?.change("\(number)")
      world.app.terminate()
      let lines = try JSONDecoder().decode([Line].self, from: Data(try bytes("reports.json")))
      #expect(lines.map(\.launch) == Array(max(1, number - 2)...number))
      #expect(lines.last?.appVersion == "1.\(number)")
      #expect(lines.last?.counts == (number == 1 ? [:] : ["restored": 2]))
      #expect(lines.last?.date == "2023-03-\(String(format: "%02d", 8 + number))T20:26:40Z")
    }
    // A file that has no reports is replaced.
    try Data("[\nnonsense\n".utf8).write(to: folder.appending(path: "reports.json"))
    StoredWorld(folder).app.terminate()
    let lines = try JSONDecoder().decode([Line].self, from: Data(try bytes("reports.json")))
    #expect(lines.map(\.launch) == [1])
  }

  @Test("The quarantine is bounded, and the oldest files go first")
  func quarantine() throws {
    for number in 1...7 {
      let world = StoredWorld(folder)
      if number == 1 { try world.screen("screen") }
      world.screen?.change("\(number)")
      try world.restoration.save()
      world.app.terminate()
      try Data("LINSTATE\u{1} damaged \(number)".utf8).write(to: folder.appending(path: "state-1"))
    }
    let moved = try names(in: folder.appending(path: "quarantine"))
    #expect(moved == ["state-1.3", "state-1.4", "state-1.5", "state-1.6"])
  }
}
