import Dispatch
import Foundation
import Synchronization

/// An object that writes one application's archives in order, on a queue of its own.
///
/// If several archives come while one is being written, only the last of them is written. An archive
/// that is stored already is not written again.
final class StateWriter: Sendable {
  private let storage: any StateStorage
  private let queue = DispatchQueue(label: "lineage.state", qos: .utility)
  private let work: Mutex<WriterWork>
  /// The function that is called with each new problem, on any thread.
  private let tell: @Sendable (String) -> Void
  /// The function that is called, on any thread, if an archive was not stored because the storage
  /// has one that is at least as new. The argument is the generation of the stored archive.
  private let askForNewer: @Sendable (UInt64) -> Void

  /// The work to be done, and the results so far.
  private struct WriterWork {
    /// The archive to be stored; nil if there is none.
    var wanted: StateArchive?
    /// Whether the write must wait until the archive is on the disk.
    var isDurable = false
    /// The archive that is stored; nil if it is not known whether one is stored.
    var stored: StateArchive?
    /// The archive with which the launch began, and the number of its records. Nil if there was
    /// none, if it is stored already, or if all archives were erased or renamed.
    var atLaunch: (archive: StateArchive, records: Int)?
    /// The report to be stored.
    var report: StoredReport?
    var isScheduled = false
    /// Whether erased records may still be in the storage.
    var isErasing = false
    /// The problems that were reported since an archive was last stored.
    var told: Set<String> = []
  }

  /// Makes a writer for a storage from which the state was loaded.
  init(
    _ storage: any StateStorage, _ loaded: StoredState,
    _ tell: @escaping @Sendable (String) -> Void,
    askForNewer: @escaping @Sendable (UInt64) -> Void
  ) {
    self.storage = storage
    self.tell = tell
    self.askForNewer = askForNewer
    var work = WriterWork()
    if let newest = loaded.newest, loaded.isUsable {
      if newest.isCurrent { work.stored = newest.archive }
      work.atLaunch = (newest.archive, newest.findings.records)
    }
    self.work = Mutex(work)
  }

  /// Writes an archive on the writer's queue, and returns at once.
  func write(_ archive: StateArchive) {
    schedule { $0.wanted = archive }
  }

  /// Writes the report of this launch on the writer's queue, and returns at once.
  func write(_ report: StoredReport) {
    schedule { $0.report = report }
  }

  private func schedule(_ change: (inout WriterWork) -> Void) {
    let isScheduled = work.withLock { work in
      change(&work)
      defer { work.isScheduled = true }
      return work.isScheduled
    }
    if !isScheduled { queue.async { self.run() } }
  }

  /// Writes an archive, and returns when it is stored. An earlier archive that was not written yet
  /// is skipped.
  ///
  /// - Throws: the error of the storage.
  func writeNow(_ archive: StateArchive, _ report: StoredReport? = nil) throws {
    try queue.sync {
      // The archive is set here, and not before. Otherwise, a run that was scheduled earlier could
      // take the archive, and an error of that run would be reported but not thrown.
      work.withLock { work in
        work.wanted = archive
        work.isDurable = true
        if let report { work.report = report }
      }
      if let error = self.run() { throw error }
    }
  }

  /// Stores an archive, which has no records at a path and below it, as the only one. If the archive
  /// is nil, removes all archives. If this fails, the next write tries again to remove the other
  /// archives.
  ///
  /// If no stored archive and no archive to be stored has a record at the path, nothing is written.
  func erase(_ archive: StateArchive?, at path: [String]) throws {
    // Meanwhile, no write begins with an archive that has the erased records.
    let (wanted, atLaunch) = work.withLock { work in
      defer { work.wanted = nil }
      return (work.wanted, work.atLaunch)
    }
    try queue.sync {
      if let name = path.last, !storage.mentions(name) {
        let pending = [wanted, atLaunch?.archive].compactMap(\.self)
        let isFound = pending.contains { Data($0.bytes).range(of: Data(name.utf8)) != nil }
        if !isFound { return archive.map { if wanted != nil { write($0) } } ?? () }
      }
      work.withLock { work in
        work.atLaunch = nil
        work.isErasing = true
      }
      try eraseAll(but: archive)
    }
  }

  private func eraseAll(but archive: StateArchive?) throws {
    work.withLock { $0.stored = nil }
    var failure: StateFolderError?
    do {
      try storage.erase(archive?.bytes)
    } catch let error as StateFolderError where error.isStored {
      failure = error
    }
    work.withLock { work in
      work.stored = archive
      if case .overwritten? = failure { work.isErasing = false }
      if case nil = failure { work.isErasing = false }
    }
    if let failure { throw failure }
  }

  /// Keeps all archives under other names, so that no launch reads them, and returns these names.
  func keepArchives() throws -> [String] {
    work.withLock { work in
      work.wanted = nil
      work.atLaunch = nil
      work.stored = nil
    }
    return try queue.sync { try storage.keepArchives() }
  }

  /// Waits until all is written.
  func finish() { queue.sync {} }

  /// Waits until all is written, and ends the use of the storage.
  func close() {
    queue.sync {
      storage.close()
      work.withLock { $0.stored = nil }
    }
  }

  /// Writes the wanted archive and report, if there are any. Returns the error of storing the
  /// archive; nil if there was none.
  @discardableResult
  private func run() -> (any Error)? {
    let taken = work.withLock { work in
      work.isScheduled = false
      defer {
        work.wanted = nil
        work.isDurable = false
        work.report = nil
      }
      return work
    }
    let report = taken.report
    var failure: (any Error)?
    if let archive = taken.wanted {
      do {
        try store(archive, taken)
        work.withLock { $0.stored = archive }
      } catch {
        failure = error
        if case .outdated(let generation)? = error as? StateFolderError {
          askForNewer(generation)
        } else {
          note("The state was not stored", error)
        }
      }
    }
    if let report {
      do { try storage.store(report) } catch { note("The report was not stored", error) }
    }
    if taken.wanted != nil, failure == nil {
      work.withLock { if !$0.isErasing { $0.told = [] } }
    }
    return failure
  }

  /// Stores an archive, unless it is stored already.
  private func store(_ archive: StateArchive, _ taken: WriterWork) throws {
    // The storage has failed to erase some records, so it is asked again. Another erase may have
    // been requested after the archive was taken. That erase runs next on the queue, and also
    // removes the records that this archive may still have.
    if taken.isErasing {
      do {
        return try eraseAll(but: archive)
      } catch StateFolderError.notErased(let error) {
        // The archive itself is stored.
        return note("The stored state was not erased", StateFolderError.notErased(error))
      } catch StateFolderError.overwritten {
        return
      }
    }
    if archive == taken.stored, !taken.isDurable { return }
    if let atLaunch = taken.atLaunch {
      // The state can still be saved if this fails.
      do {
        try storage.keepAtLaunch(atLaunch.archive, records: atLaunch.records)
        work.withLock { $0.atLaunch = nil }
      } catch {
        note("The state as it was at the launch was not kept", error)
      }
    }
    do {
      try storage.replace(archive.bytes, isDurable: taken.isDurable)
    } catch {
      // It is not known whether the archive is stored.
      work.withLock { $0.stored = nil }
      throw error
    }
  }

  /// Reports a problem, unless it was reported since an archive was last stored.
  private func note(_ what: String, _ error: any Error) {
    let text = "\(what): \(error)"
    if work.withLock({ $0.told.insert(text).inserted }) { tell(text) }
  }
}
