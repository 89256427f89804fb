import Dispatch
public import Foundation
import Synchronization

/// A clock that decides when a restoration with a folder saves changes.
///
/// A program needs none, because the default is the clock of the system. A test can use a
/// ``ManualSaveClock``.
public protocol SaveClock: Sendable {
  /// The present time.
  var now: Date { get }

  /// Calls a closure after a number of seconds, on any thread.
  func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void)
}

/// The clock of the system.
struct SystemSaveClock: SaveClock {
  var now: Date { Date() }

  func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue.global(qos: .utility)
      .asyncAfter(deadline: .now() + .nanoseconds(Int(seconds * 1e9)), execute: body)
  }
}

/// A clock whose time passes only when a test advances it.
///
/// ```swift
/// let clock = ManualSaveClock()
/// let restoration = Restoration(in: .at(url), clock: clock) { … }
/// application.launch(restoring: restoration)
/// editor.text = "typed"
/// clock.advance(by: 0.25)
/// application.drain()
/// ```
///
/// Then the change is saved. The write has ended when the restoration is released.
public final class ManualSaveClock: SaveClock {
  private typealias Timer = (time: Date, body: @Sendable () -> Void)

  private let state: Mutex<(now: Date, timers: [Timer])>

  /// Makes a clock that shows the given time.
  public init(now: Date = Date(timeIntervalSinceReferenceDate: 700_000_000)) {
    state = Mutex((now, []))
  }

  /// The time of the last advance.
  public var now: Date { state.withLock { $0.now } }

  /// The number of closures that wait for their time.
  package var timerCount: Int { state.withLock { $0.timers.count } }

  /// Keeps a closure until the time is advanced by a number of seconds.
  public func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.timers.append(($0.now + seconds, body)) }
  }

  /// Advances the time, and calls the closures whose time has come. A negative number puts the clock
  /// back.
  public func advance(by seconds: Double) {
    let due = state.withLock { state in
      state.now += seconds
      // Sums of seconds are not exact.
      let latest = state.now + 1e-6
      let due = state.timers.filter { $0.time <= latest }
      state.timers.removeAll { $0.time <= latest }
      return due.map(\.body)
    }
    for body in due { body() }
  }
}
