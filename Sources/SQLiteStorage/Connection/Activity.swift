import CLineageSQLite
import Foundation
import ObjectGraph

/// The state from which a connection's handlers decide whether SQLite continues or ends a
/// statement.
///
/// The reference to the long work does not retain the work. This is safe because the connection
/// retains the work, and replaces the reference when the work ends.
@safe
struct Activity {
  var counts = Counts()
  /// The memory of the read under way; nil if no read is under way. The statement of the read frees
  /// this memory.
  var read: ReadMemory?
  /// The long work, such as opening a store, for which the connection is used; nil outside such
  /// work. The connection retains the work, this reference does not.
  fileprivate var work: Unmanaged<Cancellation>?
  /// The longest time to wait for a lock of another connection, in milliseconds.
  var lockTimeout = 0

  /// The number of steps of SQLite's virtual machine between two calls of the progress handler.
  static let interval = 1000

  /// Returns whether SQLite must end the statement. The reason is a cancelled read, cancelled work,
  /// or a read that has taken too many steps.
  ///
  /// The progress handler calls this function on the thread that steps the statement. So
  /// `Task.isCancelled` is here the state of the reading task. A cancellation handler that sets a
  /// flag was rejected, because only async functions can install one.
  fileprivate func isOver() -> Bool {
    if isWorkCancelled { return true }
    return read?.isOver() ?? false
  }

  private var isWorkCancelled: Bool { unsafe work?.takeUnretainedValue().isCancelled ?? false }

  /// Sleeps for some milliseconds because another connection holds a lock. Returns false if the
  /// time `lockTimeout` has passed or the work is cancelled; SQLite then gives up. `count` is the
  /// number of earlier calls for the same lock.
  fileprivate func waits(_ count: Int) -> Bool {
    if isWorkCancelled { return false }
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
}

/// The memory of a connection's ``Activity``. SQLite keeps the address of this memory.
///
/// The type is safe because the connection and its statements share this object, and its deinit
/// frees the memory. By then the connection has closed its handle, so SQLite no longer uses the
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

  var lockTimeout: Int {
    get { unsafe pointer.pointee.lockTimeout }
    set { unsafe pointer.pointee.lockTimeout = newValue }
  }

  /// Counts a step of a statement, and sets the read under way to this statement's read.
  @inline(__always)
  func step(in read: ReadMemory) {
    unsafe pointer.pointee.counts.stepped += 1
    unsafe pointer.pointee.read = read
  }

  /// Ends the read under way. After that, a statement ends early only if the connection's long work
  /// is cancelled.
  func endRead() { unsafe pointer.pointee.read = nil }

  /// Ends the read under way if it is the given read. The caller then frees that read's memory.
  func forget(_ read: ReadMemory) {
    if unsafe pointer.pointee.read == read { endRead() }
  }

  /// Sets the long work for which the connection is used; nil for none. The work is not retained
  /// here, so the connection must retain it.
  func borrow(_ work: Cancellation?) {
    unsafe pointer.pointee.work = work.map { unsafe Unmanaged.passUnretained($0) }
  }

  /// Registers the progress handler and the busy handler with SQLite. If `mayEnd` is false, only
  /// the busy handler is registered, and no statement ends early. The connection for saves needs
  /// this.
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

/// The memory of a statement's current ``Read``.
///
/// The type is safe because the statement frees the memory once, when the statement is finalized.
/// By then the activity no longer refers to the memory. The type is a struct, because each step
/// would count references to a class instance.
@safe
struct ReadMemory: Equatable {
  private let pointer: UnsafeMutablePointer<Read>

  init() {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: Read())
  }

  /// Frees the memory. This function must be called exactly once.
  func free() {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  /// The reason why the read was ended early; nil if it was not ended early.
  var end: Read.End? { unsafe pointer.pointee.end }

  /// Replaces the current read by another one.
  func begin(_ read: Read) { unsafe pointer.pointee = read }

  fileprivate func isOver() -> Bool { unsafe pointer.pointee.isOver() }

  static func == (one: Self, other: Self) -> Bool { unsafe one.pointer == other.pointer }
}

/// A read that ends before its last row if it is cancelled or exceeds a limit of steps.
struct Read {
  enum End {
    case cancelled
    case tooLong(steps: Int)
  }

  private var cancellation: ReadCancellation?
  private var limit: Int?
  private var steps = 0
  private(set) var end: End?

  /// Creates a read that nothing ends early.
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
