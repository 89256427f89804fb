#if Postgres
import Dispatch

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
#endif
