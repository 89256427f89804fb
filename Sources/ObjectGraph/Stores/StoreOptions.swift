public import Foundation

/// The options for opening a store.
public struct StoreOptions: Sendable {
  /// Whether a store that does not exist is created.
  public var creates = true
  /// Whether the store is opened for reading only. If the store is already open in this process,
  /// opening returns the open store, even if it can be written.
  public var isReadOnly = false
  /// The number of seconds to wait for another writer, in this process or another process.
  public var timeout = 5.0
  /// The greatest number of steps that the store's engine may take for one fetch or figure; nil for
  /// no limit. A request that needs more steps throws `tooLong`.
  ///
  /// Each store documents its steps. `SQLiteStore` counts the steps of SQLite in whole thousands.
  /// SQLite takes about ten steps for each row that it examines.
  ///
  /// The limit is meant for requests from outside the program. It counts steps and not time, so
  /// that the same request on the same rows fails or succeeds on all machines alike. Reads of a
  /// save, and reads of an object by its id, have no limit.
  public var readLimit: Int?
  /// The clock for ``SaveMoment/date``. A test can give another one than the system's.
  public var now: @Sendable () -> Date

  /// Creates options. By default, missing stores are created, writing is allowed, the timeout is
  /// five seconds, reading has no limit, and the clock is the system's.
  public init(
    creates: Bool = true, isReadOnly: Bool = false, timeout: Double = 5, readLimit: Int? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.creates = creates
    self.isReadOnly = isReadOnly
    self.timeout = timeout
    self.readLimit = readLimit
    self.now = now
  }
}
