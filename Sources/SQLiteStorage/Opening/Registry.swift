import Foundation
import LineageFiles
import ObjectGraph

/// The files that this process has open or is opening. Each file, identified by its device and
/// inode, is open at most once.
///
/// An opening first claims its path, because there may be no file yet. Before it opens the file at
/// this path, it also claims the file, because the file may have other paths.
final class Registry: @unchecked Sendable {
  // `lock` protects all variables.

  static let shared = Registry()

  /// The answer to an opening that claims a path or a file for itself alone.
  enum Claim {
    /// The caller has the path or file for itself now, and must call `release` later.
    case free
    case open(SQLiteStore)
    case cancelled
    /// The waiting time has passed, and another opening or closing still has the path or file.
    case busy
  }

  private struct OpenedStore {
    weak var store: SQLiteStore?
  }

  private let lock = NSCondition()
  private var entries: [FileCheck.Identity: OpenedStore] = [:]
  private var openingPaths: Set<String> = []
  private var openingFiles: Set<FileCheck.Identity> = []

  /// Claims a path. If another opening has the path, waits for the end of that opening.
  func claim(_ path: String, waiting seconds: Double, _ cancellation: Cancellation) -> Claim {
    wait(seconds, cancellation) { openingPaths.insert(path).inserted ? .free : nil }
  }

  /// Claims a file, or returns the store that has the file open. If another opening has the file,
  /// waits for the end of that opening. An opening that has claimed a file must not claim anything
  /// else, because two openings could then wait for each other.
  func claim(
    _ file: FileCheck.Identity, waiting seconds: Double, _ cancellation: Cancellation
  ) -> Claim {
    wait(seconds, cancellation) {
      if openingFiles.contains(file) { return nil }
      guard let entry = entries[file] else {
        openingFiles.insert(file)
        return .free
      }
      if let store = entry.store, !store.isClosed { return .open(store) }
      // The store's last connection is just being closed.
      return nil
    }
  }

  private func wait(
    _ seconds: Double, _ cancellation: Cancellation, _ claim: () -> Claim?
  ) -> Claim {
    lock.lock()
    defer { lock.unlock() }
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      if cancellation.isCancelled { return .cancelled }
      if let claim = claim() { return claim }
      if Date() > deadline { return .busy }
      // Cancelling does not signal the lock, so the wait is repeated every 20 milliseconds.
      _ = lock.wait(until: Date(timeIntervalSinceNow: 0.02))
    }
  }

  /// Ends the claim of a path.
  func release(_ path: String) {
    lock.lock()
    defer { lock.unlock() }
    openingPaths.remove(path)
    lock.broadcast()
  }

  /// Ends the claim of a file. `store` is the store that the opening has made for the file; nil if
  /// it has made none.
  func release(_ file: FileCheck.Identity, _ store: SQLiteStore?) {
    lock.lock()
    defer { lock.unlock() }
    openingFiles.remove(file)
    if let store { entries[file] = OpenedStore(store: store) }
    lock.broadcast()
  }

  /// Removes a file's entry. The store calls it after its last connection was closed.
  func ended(_ identity: FileCheck.Identity) {
    lock.lock()
    defer { lock.unlock() }
    entries[identity] = nil
    lock.broadcast()
  }

  /// Returns the path of a file without symbolic links. The file need not exist. `hops` is the
  /// number of links that were resolved so far.
  static func canonical(_ path: String, hops: Int = 0) -> String {
    if let resolved = SystemCalls.resolvedPath(path) { return resolved }
    let url = URL(fileURLWithPath: path)
    if hops < 40, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
      let next = URL(fileURLWithPath: target, relativeTo: url.deletingLastPathComponent())
      return canonical(next.path, hops: hops + 1)
    }
    guard let parent = SystemCalls.resolvedPath(url.deletingLastPathComponent().path) else {
      return url.path
    }
    return parent + "/" + url.lastPathComponent
  }
}
