import Synchronization

/// Whether the caller of long work still wants it.
final class Cancellation: Sendable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }

  func cancel() { flag.store(true, ordering: .relaxed) }

  func check() throws {
    if isCancelled { throw CancellationError() }
  }
}
