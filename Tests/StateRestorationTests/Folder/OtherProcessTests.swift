import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The state folder and processes that are killed, hindered or not alone", .serialized)
struct OtherProcessTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  static let isFull = ProcessInfo.processInfo.environment["LINEAGE_LAWS"] == "full"

  static var probe: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageStateProbe").path
  }

  private func run(_ arguments: String...) throws -> [Substring] {
    try ChildProcess.run(Self.probe, arguments).output.split(separator: "\n")
  }

  /// Launches an application on the folder, and returns the text that was restored. Checks that
  /// this application can save; `comment` is shown if it cannot.
  private func text(_ comment: String = "") throws -> String? {
    let world = ProbeWorld(folder)
    let text = world.restored
    #expect(throws: Never.self, "\(comment)") { try world.restoration.save() }
    world.application.terminate()
    return text
  }

  /// Returns the number in the last line that begins with the word; nil if there is no such line.
  private func last(_ word: String, _ lines: [Substring]) -> Int? {
    lines.last { $0.hasPrefix("\(word) ") }.flatMap { Int($0.dropFirst(word.count + 1)) }
  }

  @Test("kill -9 right before each call: afterwards the old or the new state is there")
  func killedAtEachCall() throws {
    var index = 1
    var states: Set<Int> = []
    while true {
      let output = try run("saves", folder.path, "\(index)")
      let stored = last("saved", output) ?? last("began", output) ?? -1
      let found = Int(try text("call \(index)") ?? "") ?? 0
      // A process that was killed before it said anything has saved nothing.
      if stored >= 0 {
        #expect(found == stored || found == stored + 1, "call \(index): \(output)")
      } else {
        #expect(states.isEmpty || found == states.max(), "call \(index)")
      }
      states.insert(found)
      if output.last == "ended" { break }
      index += 1
    }
    #expect(index > 100)
  }

  @Test("kill -9 at random moments: afterwards nothing that was said to be stored is lost")
  func killedAtRandom() throws {
    var generator = SplitMix64(seed: 17)
    for round in 0..<(Self.isFull ? 200 : 12) {
      let process = try ChildProcess(Self.probe, ["busy", folder.path])
      let wanted = Int.random(in: 1...60, using: &generator)
      _ = process.waits { $0.split(separator: "\n").count >= wanted }
      process.kill()
      let stored = try #require(last("saved", process.end().split(separator: "\n")))
      let found = Int(try text("round \(round)") ?? "0")
      #expect(found == stored || found == stored + 1, "round \(round)")
    }
  }

  @Test("If the lock is removed and another process saves, this one waits for its end")
  func removedLock() throws {
    let world = ProbeWorld(folder)
    world.screen.text = "first"
    try world.restoration.save()
    try FileManager.default.removeItem(at: folder.appending(path: "lock"))
    let holder = try ChildProcess(Self.probe, ["hold", folder.path])
    #expect(holder.waits(for: "ready"))
    #expect(holder.said.contains("text first") && holder.said.contains("saved"))
    let files = try contents()
    world.screen.text = "mine"
    world.saveChanges()
    #expect(throws: StateError.self) { try world.restoration.save() }
    #expect(try contents() == files)
    holder.kill()
    try world.restoration.save()
    world.application.terminate()
    #expect(try text() == "mine")
  }

  @Test("Of two processes the second restores and never writes, and a third takes over")
  func twoProcesses() throws {
    do {
      let world = ProbeWorld(folder)
      world.screen.text = "first"
      world.application.terminate()
    }
    let holder = try ChildProcess(Self.probe, ["hold", folder.path])
    #expect(holder.waits(for: "ready"))
    #expect(holder.said.contains("text first") && holder.said.contains("saved"))
    let files = try contents()
    do {
      let second = ProbeWorld(folder)
      #expect(second.restored == "from the other process")
      #expect(
        second.restoration.report.problems == [
          "This process does not save its state. Another process uses the folder of the state."
        ])
      second.screen.text = "second"
      second.saveChanges()
      #expect(throws: StateError.self) { try second.restoration.save() }
      second.restoration.erase()
      #expect(second.restoration.report.problems.last?.contains("not erased") == true)
      second.application.enterBackground()
      second.application.terminate()
    }
    #expect(try contents() == files)
    holder.kill()
    let third = ProbeWorld(folder)
    #expect(third.restored == "from the other process")
    #expect(third.restoration.report.problems == [])
    third.screen.text = "third"
    try third.restoration.save()
    third.application.terminate()
    #expect(try text() == "third")
  }

  /// Returns the bytes of all files in the folder.
  private func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      contents[name] = try fileBytes(folder.appending(path: name))
    }
    return contents
  }

  @Test("A full disk: the last good state stays, the problem is told once, and saving goes on")
  func fullDisk() throws {
    for bytes in [0, 100, 500, 1_000, 3_000, 10_000] {
      try? FileManager.default.removeItem(at: folder)
      do {
        let world = ProbeWorld(folder)
        world.screen.text = "before"
        world.screen.filler = String(repeating: "x", count: 400)
        world.application.terminate()
      }
      let output = try run("limited", folder.path, "\(bytes)")
      #expect(output.contains("text before"), "\(bytes)")
      #expect(output.last == "done", "\(bytes)")
      #expect(try #require(last("problems", output)) <= 4, "\(bytes): \(output)")
      #expect(try text() == "unlimited", "\(bytes)")
    }
  }

  @Test("Files without modes and a folder that cannot be written")
  func modes() throws {
    let nobody: uid_t = 65_534
    func prepare() throws {
      try? FileManager.default.removeItem(at: folder)
      let world = ProbeWorld(folder)
      for text in ["older", "newer"] {
        world.screen.text = text
        try world.restoration.save()
      }
      guard geteuid() == 0 else { return }
      for name in [""] + (try FileManager.default.contentsOfDirectory(atPath: folder.path)) {
        chown(folder.appending(path: name).path, nobody, nobody)
      }
      chmod(drawer.url.path, 0o755)
      chown(drawer.url.path, nobody, nobody)
    }
    try prepare()
    chmod(folder.appending(path: "state-1").path, 0)
    var output = try run("ordinary", folder.path)
    #expect(output.first == "text older")
    #expect(output.dropFirst().first?.contains("state-1 could not be read") == true)
    #expect(output.last?.contains("refused") == false, "\(output)")
    #expect(FileManager.default.fileExists(atPath: folder.appending(path: "state-1.kept").path))
    #expect(try text() != "newer")

    try prepare()
    chmod(folder.path, 0o500)
    output = try run("ordinary", folder.path)
    chmod(folder.path, 0o700)
    // The lock is there and can be taken. The files cannot be replaced.
    #expect(output.first == "text newer")
    #expect(output.last?.contains("refused") == true, "\(output)")
    #expect(try text() == "newer")

    try prepare()
    chmod(folder.path, 0)
    output = try run("ordinary", folder.path)
    chmod(folder.path, 0o700)
    #expect(output.first == "text ")
    #expect(output.last?.contains("refused") == true, "\(output)")
    #expect(try text() == "newer")
  }
}

/// A screen with the same name and properties as the screen of the other process.
final class ProbeScreen: Controller {
  @Restorable("text") var text = ""
  @Restorable("filler") var filler = ""
}

/// An application like that of the other process, with its restoration.
private struct ProbeWorld {
  let application = Application()
  let restoration: Restoration
  let screen: ProbeScreen
  let clock = ManualSaveClock()
  let restored: String?

  init(_ folder: URL) {
    restoration = Restoration(in: .at(folder), clock: clock) {
      Kind("screen", ProbeScreen.init)
    }
    application.launch(restoring: restoration)
    let found = application.children.first as? ProbeScreen
    restored = found?.text
    screen = found ?? ProbeScreen()
    guard found == nil else { return }
    screen.restorationIdentifier = "screen"
    try? application.append(screen)
  }

  func saveChanges() {
    clock.advance(by: 0.25)
    application.drain()
    restoration.finishWriting()
  }
}
