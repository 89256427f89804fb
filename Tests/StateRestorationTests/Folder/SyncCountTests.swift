import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Synchronization
import Testing

@Suite("The calls of each kind of save")
struct SyncCountTests {
  private let drawer: Drawer
  private var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  /// A probe that notes all calls.
  private final class Calls: Sendable {
    private let steps = Mutex<[FileStep]>([])

    @Sendable func probe(_ step: FileStep) -> Int32 {
      steps.withLock { $0.append(step) }
      return 0
    }

    /// Returns the calls since the last time: those that bring a file or a folder to the disk, and
    /// those that write.
    func take() -> [FileStep] {
      let all = steps.withLock { steps in
        defer { steps = [] }
        return steps
      }
      return all.filter { [.sync, .syncFolder, .write, .append, .rename].contains($0) }
    }
  }

  /// The calls of a file that is replaced as a whole: its bytes and its name are on the disk.
  private static let whole: [FileStep] = [.write, .sync, .rename, .syncFolder]

  @Test("Added changes wait for no disk, and each whole save does, once for its file")
  func counts() throws {
    do {
      let world = StoredWorld(folder)
      try world.screen("screen").change("before")
      // So the changes below are few beside the whole.
      for number in 0..<20 { try world.screen("other \(number)").change("text") }
      world.app.terminate()
    }
    let calls = Calls()
    let world = StoredWorld(folder, probe: calls.probe)
    world.restoration.finishWriting()
    // The page of the guard is there, so it is only written. The report replaces the last one.
    #expect(calls.take() == [.write, .write] + Self.whole)

    func change(_ text: String) {
      world.screen?.change(text)
      world.pass()
      world.restoration.finishWriting()
    }
    change("first")
    // The first save of a process also keeps the archive with which it began.
    #expect(calls.take() == Self.whole + [.append])
    for number in 0..<3 {
      change("change \(number)")
      #expect(calls.take() == [.append])
    }
    world.pass(10)
    world.restoration.finishWriting()
    #expect(calls.take() == [])

    try world.restoration.save()
    #expect(calls.take() == Self.whole + Self.whole)
    world.app.enterBackground()
    #expect(calls.take() == Self.whole + Self.whole)
    world.app.enterForeground()
    #expect(calls.take() == [])
    world.app.terminate()
    #expect(calls.take() == Self.whole + Self.whole)
  }

  @Test("When more was added than the last whole save has, the next one is whole")
  func compaction() throws {
    let calls = Calls()
    let world = StoredWorld(folder, probe: calls.probe)
    try world.screen("screen").change(String(repeating: "long ", count: 20))
    try world.restoration.save()
    _ = calls.take()
    var saves: [[FileStep]] = []
    for number in 0..<40 {
      world.screen?.change("\(number) " + String(repeating: "long ", count: 20))
      world.pass()
      world.restoration.finishWriting()
      saves.append(calls.take())
    }
    #expect(Set(saves) == [[.append], Self.whole])
    let compactions = saves.count { $0 == Self.whole }
    #expect((5...20).contains(compactions))
  }

  @Test("Erasing brings what is left, and the names that are gone, to the disk")
  func erasing() throws {
    let calls = Calls()
    let world = StoredWorld(folder, probe: calls.probe)
    try world.screen("screen").change("first")
    try world.restoration.save()
    _ = calls.take()
    world.restoration.erase(at: ["screen"])
    #expect(calls.take() == Self.whole + [.syncFolder])
  }

  @Test("The bytes that are added grow with the number of changes, and not with the tree")
  func bytes() throws {
    /// Returns the bytes that a save adds for some changed screens, and those of a whole save.
    func added(_ changed: Int, of all: Int) throws -> (added: Int, whole: Int) {
      let storage = MemoryStorage()
      let world = StoredWorld(in: storage)
      for number in 0..<all { try world.screen("s\(number + 1000)").change("text") }
      try world.restoration.save()
      let whole = storage.bytes.count
      for case let screen as Screen in world.app.children.prefix(changed) { screen.change("next") }
      world.pass()
      world.restoration.finishWriting()
      guard case .append(let count)? = storage.calls.last else { return (.max, whole) }
      return (count, whole)
    }
    let (one, whole) = try added(1, of: 1_000)
    let ten = try added(10, of: 1_000).added
    let hundred = try added(100, of: 1_000).added
    #expect(try added(1, of: 100).added == one)
    #expect(ten <= 10 * one && ten >= 7 * one)
    #expect(hundred <= 10 * ten && hundred >= 9 * ten)
    #expect(ten * 20 <= whole)
  }
}
