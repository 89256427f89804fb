import CLineageSQLite
import Foundation
import ObjectGraph

/// The work of a connection at the moment, for SQLite to ask whether it is to go on.
///
/// It is safe because the connection retains the work that it refers to, and tells it when that
/// ends.
@safe
struct Activity {
  var counts = Counts()
  /// The read whose statement is stepped, and which belongs to it.
  var read: ReadMemory?
  /// Long work such as an opening, which the connection retains.
  fileprivate var work: Unmanaged<Cancellation>?
  /// Milliseconds to wait for other connections.
  var patience = 0

  /// The steps of SQLite's machine after which it asks.
  static let interval = 1000

  /// Returns whether the result is no longer wanted; called on the thread that steps, and so in the task
  /// that reads.
  fileprivate func isOver() -> Bool {
    if isWorkCancelled { return true }
    return read?.isOver() ?? false
  }

  private var isWorkCancelled: Bool { unsafe work?.takeUnretainedValue().isCancelled ?? false }

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
}

/// Memory in which an activity lies, so that SQLite can hold its address.
///
/// It is safe because the connection and its statements share it, and the last of them frees it: after
/// the connection has closed its handle, so that SQLite asks no more.
@safe
final class ActivityMemory {
  private let pointer: UnsafeMutablePointer<Activity>

  init() {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: Activity())
  }

  deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  var counts: Counts {
    get { unsafe pointer.pointee.counts }
    set { unsafe pointer.pointee.counts = newValue }
  }

  var patience: Int {
    get { unsafe pointer.pointee.patience }
    set { unsafe pointer.pointee.patience = newValue }
  }

  /// Counts a step.
  @inline(__always)
  func step() { unsafe pointer.pointee.counts.stepped += 1 }

  /// Counts a step of a statement in a read of its own.
  @inline(__always)
  func step(in read: ReadMemory) {
    unsafe pointer.pointee.counts.stepped += 1
    unsafe pointer.pointee.read = read
  }

  /// Leaves the read that is under way; what follows runs to its end.
  func endRead() { unsafe pointer.pointee.read = nil }

  /// Leaves a read whose memory is about to go.
  func forget(_ read: ReadMemory) {
    if unsafe pointer.pointee.read == read { endRead() }
  }

  /// Runs a closure, and goes on with the read that is under way.
  func keepingRead<R>(_ body: () throws -> R) rethrows -> R {
    let read = unsafe pointer.pointee.read
    defer { unsafe pointer.pointee.read = read }
    return try body()
  }

  /// Refers to the work that the connection is part of, which the connection retains.
  func borrow(_ work: Cancellation?) {
    unsafe pointer.pointee.work = work.map { unsafe Unmanaged.passUnretained($0) }
  }

  /// Lets SQLite ask. What a save does is never ended.
  func attach(to handle: OpaquePointer, mayEnd: Bool) {
    if mayEnd {
      unsafe sqlite3_progress_handler(
        handle, Int32(Activity.interval),
        { unsafe $0?.assumingMemoryBound(to: Activity.self).pointee.isOver() == true ? 1 : 0 },
        pointer)
    }
    unsafe sqlite3_busy_handler(
      handle,
      { unsafe $0?.assumingMemoryBound(to: Activity.self).pointee.waits(Int($1)) == true ? 1 : 0 },
      pointer)
  }
}

/// Memory in which the terms of a statement's reads lie.
///
/// It is safe because the statement frees it once, when it is finalized, and the activity has left
/// the read by then. It is no object, because each step would count references to it.
@safe
struct ReadMemory: Equatable {
  private let pointer: UnsafeMutablePointer<Read>

  init() {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: Read())
  }

  /// Frees the memory; called once.
  func free() {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  /// The reason why the read was ended early.
  var end: Read.End? { unsafe pointer.pointee.end }

  /// Begins another read.
  func begin(_ read: Read) { unsafe pointer.pointee = read }

  fileprivate func isOver() -> Bool { unsafe pointer.pointee.isOver() }

  static func == (one: Self, other: Self) -> Bool { unsafe one.pointer == other.pointer }
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
