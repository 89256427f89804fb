import Dispatch
import Foundation

/// The clock of an ``Autosaver``. Tests use a clock that they set.
package protocol SaveClock: Sendable {
  /// The time, in seconds since the reference date.
  var now: Double { get }

  /// Calls a closure after a number of seconds, on any thread.
  func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void)
}

/// The clock of the system.
package struct SystemSaveClock: SaveClock {
  package init() {}

  package var now: Double { Date().timeIntervalSinceReferenceDate }

  package func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue.global(qos: .utility)
      .asyncAfter(deadline: .now() + .nanoseconds(Int(seconds * 1e9)), execute: body)
  }
}
