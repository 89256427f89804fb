import CLineageSQLite
import Foundation
import ObjectGraph

/// The work of a connection at the moment, for SQLite to ask whether it is to go on.
///
/// It lies in memory of its own, which the connection allocates and frees.
struct Activity {
  var counts = Counts()
  /// The read whose statement is stepped, and which belongs to it.
  var read: UnsafeMutablePointer<Read>?
  /// Long work such as an opening, which the connection retains.
  var work: Unmanaged<Cancellation>?
  /// Milliseconds to wait for other connections.
  var patience = 0

  /// The steps of SQLite's machine after which it asks.
  static let interval = 1000

  /// Returns whether the result is no longer wanted; called on the thread that steps, and so in the task
  /// that reads.
  fileprivate func isOver() -> Bool {
    if isWorkCancelled { return true }
    return read?.pointee.isOver() ?? false
  }

  private var isWorkCancelled: Bool { work?.takeUnretainedValue().isCancelled ?? false }

  /// Sleeps a while if another connection is in the way; false when that has been long enough.
  fileprivate func waits(_ count: Int) -> Bool {
    if isWorkCancelled { return false }
    let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]
    let waited =
      count < delays.count
      ? delays.prefix(count).reduce(0, +)
      : delays.reduce(0, +) + (count - delays.count) * 100
    let delay = min(delays[min(count, delays.count - 1)], patience - waited)
    guard delay > 0 else { return false }
    usleep(UInt32(delay) * 1000)
    return true
  }

  /// Lets SQLite ask; the activity outlives the connection's handle. What a save does is never ended.
  static func attach(
    _ activity: UnsafeMutablePointer<Activity>, to handle: OpaquePointer, mayEnd: Bool
  ) {
    if mayEnd {
      sqlite3_progress_handler(
        handle, Int32(interval),
        { $0?.assumingMemoryBound(to: Activity.self).pointee.isOver() == true ? 1 : 0 }, activity)
    }
    sqlite3_busy_handler(
      handle,
      { $0?.assumingMemoryBound(to: Activity.self).pointee.waits(Int($1)) == true ? 1 : 0 },
      activity)
  }
}

/// The terms that may end one read before its end.
struct Read {
  enum End {
    case cancelled
    case tooLong(steps: Int)
  }

  private var cancellation: ReadCancellation?
  private var limit: Int?
  private var steps = 0
  private(set) var end: End?

  /// A read that runs to its end.
  init() {}

  init(_ terms: ReadTerms, limit: Int?) {
    cancellation = ReadCancellation(terms)
    if !terms.runsToEnd { self.limit = limit }
  }

  fileprivate mutating func isOver() -> Bool {
    steps += Activity.interval
    if cancellation?.isCancelled == true {
      end = .cancelled
    } else if let limit, steps >= limit {
      end = .tooLong(steps: limit)
    }
    return end != nil
  }
}
