import CLineageSQLite
import Foundation
import ObjectGraph

/// The state of a connection that tells SQLite whether to go on.
///
/// The type is safe because the connection retains the work to which the state refers, and replaces
/// the reference when that work ends.
@safe
struct Activity {
  var counts = Counts()
  /// The read under way, with the reasons to end it early; nil if there is none. The statement that
  /// is stepped owns the memory of the read.
  var read: ReadMemory?
  /// The long work that the connection is part of, such as an opening. The connection retains it.
  fileprivate var work: Unmanaged<Cancellation>?
  /// The time to wait for other connections, in milliseconds.
  var patience = 0

  /// The number of steps of SQLite's virtual machine between two calls of the progress handler.
  static let interval = 1000

  /// Returns whether SQLite is to end the statement, because the read or the work is cancelled or
  /// the read has taken too many steps.
  ///
  /// SQLite calls this from its progress handler, on the thread that steps the statement. So
  /// `Task.isCancelled` is that of the task that reads. Rejected: a cancellation handler that sets
  /// a flag, because only async functions can install one.
  fileprivate func isOver() -> Bool {
    if isWorkCancelled { return true }
    return read?.isOver() ?? false
  }

  private var isWorkCancelled: Bool { unsafe work?.takeUnretainedValue().isCancelled ?? false }

  /// Sleeps for a while because another connection holds a lock. Returns false once the patience is
  /// used up, or if the work is cancelled.
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

/// The memory of an activity, whose address SQLite keeps.
///
/// The type is safe because the connection and its statements share this object, and the last of
/// them frees it. By then the connection has closed its handle, so that SQLite no longer uses the
/// address.
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

  /// Counts a step of a statement. The statement's read becomes the one under way.
  @inline(__always)
  func step(in read: ReadMemory) {
    unsafe pointer.pointee.counts.stepped += 1
    unsafe pointer.pointee.read = read
  }

  /// Ends the read under way. After that, only cancelling the work can end a statement early.
  func endRead() { unsafe pointer.pointee.read = nil }

  /// Ends the read if it is the given one, whose memory is about to be freed.
  func forget(_ read: ReadMemory) {
    if unsafe pointer.pointee.read == read { endRead() }
  }

  /// Runs a closure, then continues the read under way.
  func keepingRead<R>(_ body: () throws -> R) rethrows -> R {
    let read = unsafe pointer.pointee.read
    defer { unsafe pointer.pointee.read = read }
    return try body()
  }

  /// Sets the work that the connection is part of, without retaining it. The connection retains it.
  func borrow(_ work: Cancellation?) {
    unsafe pointer.pointee.work = work.map { unsafe Unmanaged.passUnretained($0) }
  }

  /// Registers the handlers that SQLite calls. If `mayEnd` is false, nothing ends a statement
  /// early. Saves need that.
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

/// The memory that holds a statement's present ``Read``.
///
/// The type is safe because the statement frees the memory once, when the statement is finalized.
/// By then the activity does not refer to it any more. The type is not a class, because each step
/// would count references to the object.
@safe
struct ReadMemory: Equatable {
  private let pointer: UnsafeMutablePointer<Read>

  init() {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: Read())
  }

  /// Frees the memory. It must be called once.
  func free() {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  /// The reason why the read was ended early; nil if it was not.
  var end: Read.End? { unsafe pointer.pointee.end }

  /// Begins another read, and forgets the one before.
  func begin(_ read: Read) { unsafe pointer.pointee = read }

  fileprivate func isOver() -> Bool { unsafe pointer.pointee.isOver() }

  static func == (one: Self, other: Self) -> Bool { unsafe one.pointer == other.pointer }
}

/// A read, with the reasons to end it before its last row: a cancellation, or a limit of steps.
struct Read {
  enum End {
    case cancelled
    case tooLong(steps: Int)
  }

  private var cancellation: ReadCancellation?
  private var limit: Int?
  private var steps = 0
  private(set) var end: End?

  /// Creates a read that runs to its end.
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
