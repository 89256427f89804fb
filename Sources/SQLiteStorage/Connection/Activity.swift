import CLineageSQLite
import Foundation
import ObjectGraph

/// The state from which a connection's handlers decide whether SQLite continues a statement, ends it
/// or waits for a lock.
///
/// SQLite keeps the address of this object. This is safe because the connection retains the object
/// until SQLite has closed the handle. The reference to the statement under way is not counted,
/// because each step sets it. It is removed when a statement's object is freed.
@safe
final class Activity {
  var counts = Counts()
  /// The long work, such as opening a store, for which the connection is used; nil outside such
  /// work.
  var work: Cancellation?
  /// The longest time to wait for a lock of another connection, in milliseconds.
  var lockTimeout = 0
  private unowned(unsafe) var statement: Statement?

  /// Counts a step of a statement, which is now the statement under way.
  @inline(__always)
  func step(_ statement: Statement) {
    counts.stepped += 1
    unsafe self.statement = statement
  }

  /// Ends the step of the statement under way.
  func endStep() { unsafe statement = nil }

  /// Returns whether SQLite must end the statement. The reason is a cancelled read, cancelled work,
  /// or a read that has taken too many steps.
  ///
  /// The progress handler calls this function on the thread that steps the statement. So
  /// `Task.isCancelled` is here the state of the reading task. A cancellation handler that sets a
  /// flag was rejected, because only async functions can install one.
  private func isOver() -> Bool {
    if work?.isCancelled == true { return true }
    return unsafe statement?.read.isOver() ?? false
  }

  /// Sleeps for some milliseconds because another connection holds a lock. Returns false if the
  /// time `lockTimeout` has passed or the work is cancelled; SQLite then gives up. `count` is the
  /// number of earlier calls for the same lock.
  private func waits(_ count: Int) -> Bool {
    if work?.isCancelled == true { return false }
    let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]
    let waited =
      count < delays.count
      ? delays.prefix(count).reduce(0, +)
      : delays.reduce(0, +) + (count - delays.count) * 100
    let delay = min(delays[min(count, delays.count - 1)], lockTimeout - waited)
    guard delay > 0 else { return false }
    usleep(UInt32(delay) * 1000)
    return true
  }

  /// Registers the progress handler and the busy handler with SQLite. If `mayEnd` is false, only
  /// the busy handler is registered, and no statement ends early. The connection for saves needs
  /// this.
  func attach(to handle: OpaquePointer, mayEnd: Bool) {
    let address = unsafe Unmanaged.passUnretained(self).toOpaque()
    if mayEnd {
      unsafe sqlite3_progress_handler(
        handle, Int32(Read.interval), { unsafe Activity.at($0)?.isOver() == true ? 1 : 0 }, address)
    }
    unsafe sqlite3_busy_handler(
      handle, { unsafe Activity.at($0)?.waits(Int($1)) == true ? 1 : 0 }, address)
  }

  static func at(_ address: UnsafeMutableRawPointer?) -> Activity? {
    unsafe address.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }
}

/// A read that ends before its last row if it is cancelled or exceeds a limit of steps.
struct Read {
  /// The number of steps of SQLite's virtual machine between two calls of the progress handler.
  static let interval = 1000

  private var cancellation: ReadCancellation?
  private var limit: Int?
  private var steps = 0
  /// The reason why the read was ended early; nil if it was not ended early.
  private(set) var end: GraphError.Reason?

  /// Creates a read that nothing ends early.
  init() {}

  init(_ terms: ReadTerms, limit: Int?) {
    cancellation = ReadCancellation(terms)
    if !terms.runsToEnd { self.limit = limit }
  }

  fileprivate mutating func isOver() -> Bool {
    steps += Self.interval
    if cancellation?.isCancelled == true {
      end = .cancelled
    } else if let limit, steps >= limit {
      end = .tooLong(steps: limit)
    }
    return end != nil
  }
}
