import Synchronization

/// Where objects that ended leave their ids, from whatever thread, until the owner clears them away.
///
/// An object's last reference may be dropped by a task that has left the context's isolation. Its
/// deinit must not touch the identity map then; this is all it touches.
final class Graveyard: Sendable {
  private let keys = Mutex<[Int64]>([])
  private let isFilled = Atomic(false)

  /// Whether nobody was buried since `exhume`; one atomic read.
  var isEmpty: Bool { !isFilled.load(ordering: .relaxed) }

  func bury(_ key: Int64) {
    keys.withLock { keys in
      keys.append(key)
      isFilled.store(true, ordering: .relaxed)
    }
  }

  /// All ids since the last time.
  func exhume() -> [Int64] {
    keys.withLock { keys in
      isFilled.store(false, ordering: .relaxed)
      defer { keys = [] }
      return keys
    }
  }
}
