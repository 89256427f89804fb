import Dispatch
import Synchronization

/// An object that writes one application's archives in order, on a queue of its own.
///
/// If several archives come while one is being written, only the last of them is written.
final class StateWriter: Sendable {
  private let files: Mutex<FolderFiles>
  private let queue = DispatchQueue(label: "lineage.state", qos: .utility)
  private let work = Mutex(WriterWork())

  /// A result of writing that the application's isolation must know.
  enum Event: Sendable {
    case problem(String)
    /// An archive was not stored, because the folder has one that is at least as new.
    case outdated(generation: UInt64)
  }

  /// The work to be done.
  private struct WriterWork {
    /// The archive to be stored; nil if there is none.
    var archive: StateArchive?
    /// Whether the write must wait until the archive is on the disk.
    var isDurable = false
    /// The report to be stored.
    var report: SavedReport?
    var isScheduled = false
    /// The problems that were reported since an archive was last stored.
    var told: Set<String> = []
    /// The function that is called with each event, on any thread.
    var tell: @Sendable (Event) -> Void = { _ in }

    mutating func want(_ archive: StateArchive?, _ isDurable: Bool, _ report: SavedReport?) {
      self.archive = archive ?? self.archive
      self.isDurable = self.isDurable || isDurable
      self.report = report ?? self.report
    }
  }

  init(_ files: sending FolderFiles) { self.files = Mutex(files) }

  /// Sets the function that is called with each event, on any thread.
  func tell(_ tell: @escaping @Sendable (Event) -> Void) { work.withLock { $0.tell = tell } }

  /// Waits until all is written, and then calls a closure with the files.
  func perform<Result: Sendable>(_ body: (FolderFiles) throws -> Result) rethrows -> Result {
    try queue.sync { try files.withLock { try body($0) } }
  }

  /// Waits until all is written.
  func finish() { queue.sync {} }

  /// Writes an archive or a report on the writer's queue, and returns at once.
  func write(
    _ archive: StateArchive? = nil, isDurable: Bool = false, _ report: SavedReport? = nil
  ) {
    let isScheduled = work.withLock { work in
      work.want(archive, isDurable, report)
      defer { work.isScheduled = true }
      return work.isScheduled
    }
    if !isScheduled { queue.async { try? self.run() } }
  }

  /// Writes an archive, and returns when it is on the disk. An earlier archive that was not written
  /// yet is skipped.
  ///
  /// - Throws: the error of the files.
  func writeNow(_ archive: StateArchive, _ report: SavedReport) throws {
    try queue.sync {
      // The archive is set here, and not before. Otherwise, a run that was scheduled earlier could
      // take the archive, and an error of that run would be reported but not thrown.
      work.withLock { $0.want(archive, true, report) }
      try self.run()
    }
  }

  /// Stores an archive, which has no records at a path and below it, as the only one. If the archive
  /// is nil, removes all archives. If no archive has records at the path, nothing is removed.
  func erase(_ archive: StateArchive?, at path: [String]) throws {
    // Meanwhile, no write begins with an archive that has the erased records.
    let waiting = work.withLock { work in
      defer { work.archive = nil }
      return work.archive
    }
    let isNamed = path.last.map { waiting?.mentions($0) == true } ?? true
    let isErased = try perform { try $0.erase(archive, at: isNamed ? [] : path) }
    if !isErased, waiting != nil { write(archive) }
  }

  /// Writes what is wanted. Throws the error of storing the archive.
  private func run() throws {
    let taken = work.withLock { work in
      let taken = work
      (work.archive, work.isDurable, work.report, work.isScheduled) = (nil, false, nil, false)
      return taken
    }
    defer {
      if let report = taken.report {
        do {
          try files.withLock { try $0.store(report) }
        } catch {
          note("The report was not stored: \(error)")
        }
      }
    }
    guard let archive = taken.archive else { return }
    do {
      let problems = try files.withLock { try $0.save(archive, isDurable: taken.isDurable) }
      for problem in problems { note(problem) }
      if problems.isEmpty { work.withLock { $0.told = [] } }
    } catch {
      if case .outdated(let generation)? = error as? StateFolderError {
        taken.tell(.outdated(generation: generation))
      } else {
        note("The state was not stored: \(error)")
      }
      throw error
    }
  }

  /// Reports a problem, unless it was reported since an archive was last stored.
  private func note(_ problem: String) {
    let (isNew, tell) = work.withLock { ($0.told.insert(problem).inserted, $0.tell) }
    if isNew { tell(.problem(problem)) }
  }
}
