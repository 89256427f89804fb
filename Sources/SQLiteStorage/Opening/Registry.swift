import Foundation
import ObjectGraph
import SQLStorage
import Synchronization

/// The files that this process has open or is opening. Each file, identified by its device and
/// inode, is open at most once.
final class Registry: Sendable {
  static let shared = Registry()

  private struct Files {
    var opening: Set<FileCheck.Identity> = []
    var open: [FileCheck.Identity: OpenedStore] = [:]
  }

  private struct OpenedStore {
    weak var store: SQLiteStore?
  }

  private let files = Mutex(Files())

  /// Claims a file for one opening, which must call ``release(_:_:)`` later, or returns the store
  /// that has the file open. If another opening has the file, or its last connection is just being
  /// closed, waits for the end of that.
  ///
  /// An opening that has claimed a file must not claim another one, because two openings could then
  /// wait for each other.
  func claim(
    _ file: FileCheck.Identity, waiting seconds: Double, _ cancellation: Cancellation
  ) throws -> SQLiteStore? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      try cancellation.check()
      var (store, isClaimed): (SQLiteStore?, Bool) = (nil, false)
      files.withLock { files in
        store = files.open[file]?.store
        isClaimed = files.open[file] == nil && files.opening.insert(file).inserted
      }
      if isClaimed { return nil }
      if let store, !store.isClosed { return store }
      if Date() > deadline { throw Refusal(.locked(seconds: seconds)) }
      usleep(1000)
    }
  }

  /// Ends the claim of a file. `store` is the store that the opening has made for the file; nil if
  /// it has made none.
  func release(_ file: FileCheck.Identity, _ store: SQLiteStore?) {
    files.withLock { files in
      files.opening.remove(file)
      if let store { files.open[file] = OpenedStore(store: store) }
    }
  }

  /// Removes the entry of a file whose last connection was closed.
  func ended(_ file: FileCheck.Identity) {
    files.withLock { _ = $0.open.removeValue(forKey: file) }
  }
}
