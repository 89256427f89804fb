package import Foundation
package import LineageFiles
import Synchronization

/// The storage of one process in a state folder.
///
/// The folder has two files for archives. A save never replaces the file that was last written to
/// the disk, so one of the two is complete at any time.
package final class FolderStorage: StateStorage {
  private let files: Mutex<FolderFiles>

  /// Makes the storage of a folder, which is not opened yet. In tests, the probe makes steps of
  /// reading and writing fail.
  package init(
    _ folder: StateFolder, probe: @escaping @Sendable (FileStep) -> Int32 = { _ in 0 }
  ) {
    files = Mutex(FolderFiles(folder, probe))
  }

  package func load(_ limits: RestorationLimits) -> StoredState {
    files.withLock { $0.load(limits) }
  }

  package func replace(_ bytes: [UInt8], isDurable: Bool) throws {
    try files.withLock { try $0.replace(bytes, isDurable: isDurable) }
  }

  package func keepAtLaunch(_ archive: StateArchive, records: Int) throws {
    try files.withLock { try $0.keepAtLaunch(archive, records) }
  }

  package func mentions(_ identifier: String) -> Bool {
    files.withLock { $0.mentions(identifier) }
  }

  package func erase(_ bytes: [UInt8]?) throws { try files.withLock { try $0.erase(bytes) } }

  package func keepArchives() throws -> [String] { try files.withLock { try $0.keepArchives() } }

  package func bringBackArchives() throws -> Bool {
    try files.withLock { try $0.bringBackArchives() }
  }

  package var guardPage: (url: URL, probe: FileStep.Probe)? {
    files.withLock { files -> (url: URL, probe: FileStep.Probe)? in
      // Without the lock, another process may use the guard's page.
      guard files.lock != nil else { return nil }
      return (files.folder.file(StateFileName.guardPage), files.probe)
    }
  }

  package func close() { files.withLock { $0.close() } }

  package func store(_ report: StoredReport) throws {
    try files.withLock { try $0.store(report) }
  }
}
