/// The options for opening a store.
public struct StoreOptions: Sendable {
  /// Whether a store is created where none exists.
  public var creates = true
  /// Whether the store is only read. If this process already has the store open, the result is that
  /// open store, even if it can be written.
  public var isReadOnly = false
  /// The seconds to wait for another writer, of this process or another.
  public var timeout = 5.0
  /// The number of the engine's steps that a fetch or a figure may take before it throws `tooLong`;
  /// nil for no limit.
  ///
  /// Each store says what it counts. `SQLiteStore` counts whole thousands of steps of SQLite, which
  /// takes some ten for each row that it looks at. The limit is for requests from outside: the same
  /// request on the same rows takes as many steps on any machine. Reads of a save, and the read of
  /// an object by its id, have no limit.
  public var readLimit: Int?

  /// Creates options. The defaults create missing stores, allow writing, wait five seconds, and
  /// have no limit for reading.
  public init(
    creates: Bool = true, isReadOnly: Bool = false, timeout: Double = 5, readLimit: Int? = nil
  ) {
    self.creates = creates
    self.isReadOnly = isReadOnly
    self.timeout = timeout
    self.readLimit = readLimit
  }
}
