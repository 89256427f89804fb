/// The options for opening a store.
public struct StoreOptions: Sendable {
  /// Whether a store that does not exist is created.
  public var creates = true
  /// Whether the store is only read. If the store is already open in this process, the result is
  /// the open store, even if that can be written.
  public var isReadOnly = false
  /// The number of seconds to wait for another writer, in this process or another.
  public var timeout = 5.0
  /// The greatest number of the engine's steps for a fetch or a figure, which throws `tooLong` when
  /// it needs more; nil for no limit.
  ///
  /// Each store documents its steps. `SQLiteStore` counts whole thousands of steps of SQLite, which
  /// needs about ten for each row at which it looks. The limit is meant for requests from outside:
  /// the same request on the same rows takes as many steps on any machine. Reads of a save, and the
  /// read of an object by its id, have no limit.
  public var readLimit: Int?

  /// Creates options. By default, missing stores are created, writing is allowed, the timeout is
  /// five seconds, and reading has no limit.
  public init(
    creates: Bool = true, isReadOnly: Bool = false, timeout: Double = 5, readLimit: Int? = nil
  ) {
    self.creates = creates
    self.isReadOnly = isReadOnly
    self.timeout = timeout
    self.readLimit = readLimit
  }
}
