package import Foundation
package import LineageFiles

/// A place that keeps archives from one process to the next.
///
/// A ``FolderStorage`` keeps them in files. Tests use a storage in memory. All calls except
/// ``load(_:)`` come from one thread at a time.
package protocol StateStorage: AnyObject, Sendable {
  /// Locks the storage for this process, and reads the newest archive that can be used.
  func load(_ limits: RestorationLimits) -> StoredState

  /// Stores an archive as the newest one. If `isDurable` is true, waits until it is on the disk.
  /// Otherwise, a power cut may lose it, but not the last archive that was on the disk.
  func replace(_ bytes: [UInt8], isDurable: Bool) throws

  /// Stores the archive with which a launch began, beside the archives of saves.
  ///
  /// If the archive has at most the application's own record, and an earlier launch has stored a
  /// valid one with more records, that one stays. So the archive of an empty tree does not replace
  /// a useful one.
  func keepAtLaunch(_ archive: StateArchive, records: Int) throws

  /// Ends the use of the storage, so that another process can use it. A later call that stores
  /// something locks the storage again.
  func close()

  /// Stores an archive as the only one, and removes all reports, so that no erased record is left
  /// in the storage. If the archive is nil, all archives and reports are removed.
  func erase(_ bytes: [UInt8]?) throws

  /// Returns whether the storage may have a record with an identifier.
  func mentions(_ identifier: String) -> Bool

  /// Keeps all archives under other names, so that no launch reads them, and returns these names.
  /// If this fails, this process can store no archive from then on.
  func keepArchives() throws -> [String]

  /// Gives kept archives their names back, so that the next ``load(_:)`` reads them. Returns whether
  /// there were kept archives.
  func bringBackArchives() throws -> Bool

  /// The location of the crash guard's file; nil if the storage has none or is not locked. In
  /// tests, the probe makes steps of opening the file fail.
  var guardPage: (url: URL, probe: FileStep.Probe)? { get }

  /// Stores the report of this launch, and keeps the reports of the two launches before. A later
  /// report of the same launch replaces an earlier one.
  func store(_ report: StoredReport) throws
}

extension StateStorage {
  package func mentions(_ identifier: String) -> Bool { true }

  package func keepArchives() throws -> [String] { throw StateFolderError.inUse }

  package func bringBackArchives() throws -> Bool { false }

  package var guardPage: (url: URL, probe: FileStep.Probe)? { nil }
}

/// An archive that a storage has read.
package struct StoredArchive: Sendable {
  /// The name of the archive's file.
  package let name: String
  /// The archive, with the positions of its records.
  let log: ArchivedTree

  /// Whether the storage has the archive as the newest one, so that it need not be stored again.
  package var isCurrent = true

  /// The archive, up to its last complete save.
  package var archive: StateArchive { log.archive }
  /// The findings about the archive's bytes.
  package var findings: ArchiveFindings { log.findings }

  /// Returns whether a launch prefers the other archive. A launch prefers an archive with an
  /// undamaged base (its first save), then the newer archive, then the longer one.
  func isWorse(than other: StoredArchive) -> Bool {
    if log.isDamaged != other.log.isDamaged { return log.isDamaged }
    if log.generation != other.log.generation { return log.generation < other.log.generation }
    return log.archive.count < other.log.archive.count
  }
}

/// The result of loading the archives of a storage.
package struct StoredState: Sendable {
  /// The newest archive that can be used. If none can be used, an archive with a problem. Nil if
  /// there is no archive.
  package var newest: StoredArchive?
  /// The greatest generation (serial number) of all archives that were seen.
  package var generation: UInt64 = 0
  /// The reason why this process saves nothing; nil if it saves its state.
  package var refusal: String?
  /// A sentence for each file that could not be used.
  package var problems: [String] = []
  /// The sentences about the file that was used, if another file could not be used.
  package var notes: [String] = []

  package init() {}

  /// Creates the state of a storage with one archive, and checks the archive.
  package init(newest archive: StateArchive, name: String, _ limits: RestorationLimits) {
    let stored = StoredArchive(name: name, log: ArchivedTree(archive, limits))
    generation = stored.findings.generation
    newest = stored
  }

  /// Whether there is an archive that can be restored.
  package var isUsable: Bool { newest?.findings.fault == nil && newest != nil }
}
