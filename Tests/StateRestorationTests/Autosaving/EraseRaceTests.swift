import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Synchronization
import Testing

/// A probe that blocks one call of the file system until a test releases the call.
private final class HeldCall: Sendable {
  private struct HeldState {
    var isArmed = false
    var calls = 0
  }

  private let state = Mutex(HeldState())
  private let last: Int
  let reached = DispatchSemaphore(value: 0)
  let released = DispatchSemaphore(value: 0)

  init(_ last: Int) { self.last = last }

  /// The number of calls since the probe was armed.
  var calls: Int { state.withLock { $0.calls } }

  /// Starts the counting of calls.
  func arm() { state.withLock { $0.isArmed = true } }

  @Sendable func probe(_ step: FileStep) -> Int32 {
    let isHeld = state.withLock { state in
      // The guard's page is looked at by another thread, which must not wait.
      guard state.isArmed, step != .room else { return false }
      defer { state.calls += 1 }
      return state.calls == last
    }
    if isHeld {
      reached.signal()
      released.wait()
    }
    return 0
  }
}

@Suite("State that is erased while it is being written")
struct EraseRaceTests {
  private let drawer: Drawer
  private var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  /// Returns the names of the files whose bytes contain a text.
  private func files(with text: String) throws -> [String] {
    let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
    return try all.compactMap { $0 as? String }.filter { name in
      var isFolder: ObjCBool = false
      let path = folder.appending(path: name).path
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
        !isFolder.boolValue
      else { return false }
      return try fileBytes(URL(filePath: path)).range(of: Data(text.utf8)) != nil
    }
  }

  /// Launches with a copy of the template folder, and starts a save on the writer's thread. Erases
  /// a screen while the save is blocked in the call with the index `last`. If `last` is `Int.max`,
  /// no call is blocked and nothing is erased.
  ///
  /// - Returns: The number of calls of the file system that the save makes.
  private func erase(_ template: URL, whileCall last: Int, isSynced: Bool) throws -> Int {
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: template, to: folder)
    let held = HeldCall(last)
    let world = StoredWorld(folder, probe: held.probe)
    if isSynced {
      world.screen?.change("secret of anna before")
      try world.restoration.save()
    }
    world.restoration.finishWriting()
    world.screen?.change("secret of anna now")
    held.arm()
    world.pass()
    if last == .max {
      world.restoration.finishWriting()
      return held.calls
    }
    held.reached.wait()
    world.screen?.removeFromParent()
    // The erase waits for the save, which goes on a little later.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) {
      held.released.signal()
    }
    world.restoration.erase(at: ["anna"])
    #expect(try files(with: "secret of anna") == [], "call \(last)")
    world.pass()
    world.restoration.finishWriting()
    #expect(try files(with: "secret of anna") == [], "call \(last)")
    #expect(world.restoration.report.problems == [])
    return held.calls
  }

  @Test(
    "While any call of a save lasts, erasing leaves nothing in any file", arguments: [false, true])
  func eachCall(isSynced: Bool) throws {
    let template = drawer.file("template")
    do {
      let world = StoredWorld(template)
      try world.screen("anna").change("secret of anna")
      try world.screen("bert").change("public")
      world.app.terminate()
    }
    let count = try erase(template, whileCall: .max, isSynced: isSynced)
    // The first save after a launch also stores the archive of the launch, and waits for the disk.
    #expect(count >= (isSynced ? 3 : 10))
    for call in 0..<count { _ = try erase(template, whileCall: call, isSynced: isSynced) }
    #expect(StoredWorld(folder).notes == ["bert": "public"])
  }

  @Test("An erase that fails beside a save is tried again by the next one")
  func failing() throws {
    let storage = try CountedFolder()
    let world = StoredWorld(storage)
    for round in 0..<60 {
      try world.screen("anna").change("secret of anna \(round)")
      try world.restoration.save()
      world.screen?.change("secret of anna \(round) again")
      storage.failing = [.remove, .create, .list][round % 3]
      // The scheduled save may take its archive before or after the erase has begun.
      world.pass()
      world.screen?.removeFromParent()
      world.restoration.erase(at: ["anna"])
      storage.failing = nil
      try world.restoration.save()
      for name in try names(in: storage.url) {
        let bytes = try fileBytes(storage.url.appending(path: name))
        #expect(bytes.range(of: Data("secret of anna".utf8)) == nil, "\(round) \(name)")
      }
    }
  }
}
