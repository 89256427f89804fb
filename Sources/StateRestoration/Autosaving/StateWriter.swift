import Dispatch
import Synchronization

/// An object that writes one application's archives in order, on a queue of its own.
///
/// If several archives come while one is being written, only the last of them is written.
final class StateWriter: Sendable {
  private let files: Mutex<FolderFiles>
  private let queue = DispatchQueue(label: "lineage.state", qos: .utility)
  /// The archive to be written, and whether the write waits for the disk; nil if none.
  private let wanted = Mutex<(archive: StateArchive, isDurable: Bool)?>(nil)

  /// A function that is called on any thread with sentences about failures, or with an error.
  typealias Listener = @Sendable (Result<[String], any Error>) -> Void

  init(_ files: sending FolderFiles) { self.files = Mutex(files) }

  /// Waits until all is written, and then calls a closure with the files.
  func perform<Result: Sendable>(_ body: (FolderFiles) throws -> Result) rethrows -> Result {
    try queue.sync { try files.withLock { try body($0) } }
  }

  /// Waits until all is written.
  func finish() { queue.sync {} }

  /// Writes an archive on the writer's queue, and returns at once.
  func write(_ archive: StateArchive, isDurable: Bool, _ tell: @escaping Listener) {
    wanted.withLock { $0 = (archive, isDurable || $0?.isDurable == true) }
    queue.async {
      guard let taken = self.takeWanted() else { return }
      let result = Result {
        try self.files.withLock { try $0.save(taken.archive, isDurable: taken.isDurable) }
      }
      if (try? result.get())?.isEmpty != true { tell(result) }
    }
  }

  /// Writes an archive, and returns when it is on the disk.
  ///
  /// - Returns: sentences about what else could not be written.
  func writeNow(_ archive: StateArchive) throws -> [String] {
    _ = takeWanted()
    return try perform { try $0.save(archive, isDurable: true) }
  }

  /// Writes the report of this launch on the writer's queue, and returns at once.
  func write(_ report: SavedReport, _ tell: @escaping Listener) {
    queue.async {
      do {
        try self.files.withLock { try $0.store(report) }
      } catch {
        tell(.success(["The report was not stored: \(error)"]))
      }
    }
  }

  /// Stores an archive, which has no records at a path and below it, as the only one. If it is nil,
  /// removes all. If no archive has such records, nothing is removed.
  func erase(_ archive: StateArchive?, at path: [String], _ tell: @escaping Listener) throws {
    // Meanwhile, no write begins with an archive that has the erased records.
    let waiting = takeWanted()
    let isFound = path.last.map { waiting?.archive.mentions($0) == true } ?? true
    let isErased = try perform { try $0.erase(archive, at: isFound ? [] : path) }
    if !isErased, let waiting, let archive { write(archive, isDurable: waiting.isDurable, tell) }
  }

  private func takeWanted() -> (archive: StateArchive, isDurable: Bool)? {
    wanted.withLock { wanted in
      defer { wanted = nil }
      return wanted
    }
  }
}
