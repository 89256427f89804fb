import Foundation

/// The files this process has open or is opening: each once, by device and inode.
final class Registry: @unchecked Sendable {
  // `condition` guards all that varies.

  static let shared = Registry()

  enum Claim {
    /// Nobody has it; `release` must follow.
    case free
    case open(SQLiteStore)
    case cancelled
    /// Somebody has been opening or closing it for too long.
    case busy
  }

  private struct Entry {
    weak var store: SQLiteStore?
  }

  private let condition = NSCondition()
  private var entries: [FileCheck.Identity: Entry] = [:]
  private var openingPaths: Set<String> = []

  /// Waits while others open or close the file.
  func claim(_ path: String, waiting seconds: Double, _ cancellation: Cancellation) -> Claim {
    condition.lock()
    defer { condition.unlock() }
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      if cancellation.isCancelled { return .cancelled }
      if !openingPaths.contains(path) {
        guard let identity = FileCheck.identity(of: path), let entry = entries[identity] else {
          openingPaths.insert(path)
          return .free
        }
        if let store = entry.store, !store.pool.isClosed { return .open(store) }
        // The last of it is just being closed.
        if Date() > deadline { return .busy }
      }
      // Cancelling does not signal, so look now and then.
      _ = condition.wait(until: Date(timeIntervalSinceNow: 0.02))
    }
  }

  /// Ends a claim, with the store if there is one.
  func release(_ path: String, _ store: SQLiteStore?) {
    condition.lock()
    defer { condition.unlock() }
    openingPaths.remove(path)
    if let store { entries[store.identity] = Entry(store: store) }
    condition.broadcast()
  }

  /// The store's last connection was closed.
  func ended(_ identity: FileCheck.Identity) {
    condition.lock()
    defer { condition.unlock() }
    entries[identity] = nil
    condition.broadcast()
  }

  /// One spelling for each file, also for one that is still to be made.
  static func canonical(_ path: String, hops: Int = 0) -> String {
    if let resolved = realpath(path, nil) {
      defer { free(resolved) }
      return String(cString: resolved)
    }
    let url = URL(fileURLWithPath: path)
    if hops < 40, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
      let next = URL(fileURLWithPath: target, relativeTo: url.deletingLastPathComponent())
      return canonical(next.path, hops: hops + 1)
    }
    guard let parent = realpath(url.deletingLastPathComponent().path, nil) else { return url.path }
    defer { free(parent) }
    return String(cString: parent) + "/" + url.lastPathComponent
  }
}
