#if Postgres
import Dispatch
import Foundation
import ObjectGraph

/// The moment at which a wait ends. It does not depend on the clock that shows the time of day.
struct Deadline: Sendable {
  private let seconds: Double
  private(set) var end: DispatchTime

  /// The deadline in some seconds from now.
  init(in seconds: Double) {
    self.seconds = max(0, min(seconds, 1e9))
    end = .now() + self.seconds
  }

  /// Moves the deadline, so that it is as far away as at first.
  mutating func restart() { end = .now() + seconds }

  /// The milliseconds until the deadline, rounded up; zero after it.
  var milliseconds: Int32 {
    let now = DispatchTime.now().uptimeNanoseconds
    guard end.uptimeNanoseconds > now else { return 0 }
    return Int32(clamping: (end.uptimeNanoseconds - now + 999_999) / 1_000_000)
  }

  var hasPassed: Bool { milliseconds == 0 }
}

/// The waits for one answer of the server, which end at their deadline.
struct ServerWait {
  private var deadline: Deadline
  private let cancellation: ReadCancellation?
  /// Whether the task that reads was cancelled meanwhile.
  private(set) var isCancelled = false

  init(_ deadline: Deadline, _ cancellation: ReadCancellation? = nil) {
    self.deadline = deadline
    self.cancellation = cancellation
  }

  /// Waits until a socket can be read or, if `writing`, written. Returns whether it can be read. The
  /// next wait has as much time as this one had, because a large commit takes many.
  ///
  /// If the reading task is cancelled meanwhile, calls the closure once. The wait goes on, because the
  /// server answers that the statement was cancelled.
  mutating func once(_ socket: Int32, writing: Bool, onCancel: () -> Void) throws -> Bool {
    let events = Int16(POLLIN) | (writing ? Int16(POLLOUT) : 0)
    while true {
      let rest = deadline.milliseconds
      guard rest > 0 else { throw ServerFault.lost("it has not answered in time") }
      // Nobody tells a thread that a task was cancelled, so the wait looks from time to time.
      let isWatching = cancellation != nil && !isCancelled
      var descriptor = pollfd(fd: socket, events: events, revents: 0)
      let count = unsafe poll(&descriptor, 1, isWatching ? min(rest, 20) : rest)
      if count > 0 {
        deadline.restart()
        return descriptor.revents & ~Int16(POLLOUT) != 0
      }
      guard count == 0 || errno == EINTR else {
        throw ServerFault.lost(unsafe String(cString: strerror(errno)))
      }
      if isWatching, cancellation?.isCancelled == true {
        isCancelled = true
        onCancel()
      }
    }
  }
}

/// The queue of the main actor, which must not wait for long.
enum MainQueue {
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the calling function runs on the main actor, or on the main thread.
  ///
  /// On Linux, the main actor of a program that has waited once runs on any thread.
  static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true }
}
#endif
