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

  /// A probe that records the step of each call.
  private final class Calls: Sendable {
    private let steps = Mutex<[FileStep]>([])

    @Sendable func probe(_ step: FileStep) -> Int32 {
      steps.withLock { $0.append(step) }
      return 0
    }

    /// Returns the steps since the last call of this function. Only steps that write, rename or
    /// wait for the disk are included.
    func take() -> [FileStep] {
      let all = steps.withLock { steps in
        defer { steps = [] }
        return steps
      }
      return all.filter { [.sync, .syncFolder, .write, .rename].contains($0) }
    }
  }

  /// The steps that replace a file as a whole. After them, its bytes and its name are on the disk.
  private static let whole: [FileStep] = [.write, .sync, .rename, .syncFolder]

  /// The steps that replace a file as a whole, without waiting for the disk.
  private static let unsynced: [FileStep] = [.write, .rename]

  @Test("A save after changes waits for no disk, except the first; a save that is asked for does")
  func counts() throws {
    do {
      let world = StoredWorld(folder)
      try world.screen("screen").change("before")
      world.app.terminate()
    }
    let calls = Calls()
    let world = StoredWorld(folder, probe: calls.probe)
    world.restoration.finishWriting()
    // The guard's page exists, so it is only written. The report of this launch replaces the last
    // one.
    #expect(calls.take() == Array(repeating: .write, count: 4) + Self.whole)

    func change(_ text: String) {
      world.screen?.change(text)
      world.pass()
      world.restoration.finishWriting()
    }
    change("first")
    // The first save of a process also stores the archive of the launch.
    #expect(calls.take() == Self.whole + Self.whole)
    for number in 0..<30 {
      change("change \(number)")
      #expect(calls.take() == Self.unsynced)
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
    #expect(calls.take() == Self.whole + Self.whole + [.write])
  }

  @Test("The names of new folders, and of files in the quarantine, are brought to the disk")
  func folders() throws {
    let calls = Calls()
    do {
      // Three folders are made. The name of each folder is in another folder, which must be
      // synchronised.
      let storage = FolderFiles(.at(drawer.file("one/two/three")), probe: calls.probe)
      _ = storage.load(RestorationLimits())
      #expect(calls.take() == [.syncFolder, .syncFolder, .syncFolder])
    }
    do {
      let world = StoredWorld(folder)
      for _ in 0..<2 { try world.restoration.save() }
      // The guard makes its page only if it is missing.
      world.app.terminate()
    }
    for count in 1...2 {
      for name in ["state-0", "state-1"].prefix(count) {
        try Data("LINSTATE\u{1} damaged".utf8).write(to: folder.appending(path: name))
      }
      let storage = FolderFiles(.at(folder), probe: calls.probe)
      _ = storage.load(RestorationLimits())
      _ = calls.take()
      let archive = StateArchive(bytes: Forgery.forge(archive, generation: 100))
      #expect(try storage.save(archive, isDurable: true) == [])
      // For each moved file, the quarantine and the folder are written. The file whose name is taken
      // is moved before the save, and the other one after it. First the quarantine is made.
      let moved: [FileStep] = [.syncFolder, .syncFolder]
      // The first time, the archive of the launch is stored as well. The second time, it is used.
      let first = Self.whole + [.syncFolder] + moved + Self.whole
      #expect(calls.take() == (count == 1 ? first : moved + Self.whole + moved))
    }
  }

  /// The bytes of a small archive.
  private var archive: [UInt8] {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    return world.archive.bytes
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
}
