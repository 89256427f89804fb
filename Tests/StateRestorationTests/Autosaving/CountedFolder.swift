import Foundation
import LineageFiles
import LineageTestSupport
import StateRestoration
import Synchronization

/// A state folder of its own, with a probe that counts, blocks and fails calls.
final class CountedFolder: Sendable {
  private struct Counts {
    var steps: [FileStep: Int] = [:]
    var failing: FileStep?
  }

  private let drawer: Drawer
  private let counts = Mutex(Counts())
  /// The lock that a test takes to block writes.
  let gate = Mutex(())

  /// Makes a folder, with an archive if there are bytes.
  init(_ bytes: [UInt8] = []) throws {
    drawer = try Drawer()
    guard !bytes.isEmpty else { return }
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try Data(bytes).write(to: url.appending(path: "state-0"))
  }

  var url: URL { drawer.file("state") }

  /// The bytes of the newest archive.
  var bytes: [UInt8] {
    FolderFiles(.at(url)).load(RestorationLimits()).newest?.tree.archive.bytes ?? []
  }

  /// The notes of a launch with the newest archive.
  var notes: [String: String] {
    get throws { StoredWorld(try CountedFolder(bytes)).notes }
  }

  /// The step of which each call fails; nil if none does.
  var failing: FileStep? {
    get { counts.withLock { $0.failing } }
    set { counts.withLock { $0.failing = newValue } }
  }

  /// The number of files that were replaced.
  var writes: Int { count(.rename) }

  /// The number of waits for the bytes of a file to be on the disk.
  var syncs: Int { count(.sync) }

  private func count(_ step: FileStep) -> Int { counts.withLock { $0.steps[step] ?? 0 } }

  /// Sets all counts to zero.
  func reset() { counts.withLock { $0.steps = [:] } }

  @Sendable func probe(_ step: FileStep) -> Int32 {
    if step == .create { gate.withLock { _ in } }
    return counts.withLock { counts in
      if counts.failing == step { return ENOSPC }
      counts.steps[step, default: 0] += 1
      return 0
    }
  }
}

extension StoredWorld {
  /// Makes a world with the state of a folder.
  init(
    _ folder: CountedFolder, clock: ManualSaveClock = ManualSaveClock(),
    prepare: (StoredWorld) -> Void = { _ in }
  ) {
    self.init(in: .at(folder.url), clock: clock, probe: folder.probe, prepare: prepare)
  }
}
