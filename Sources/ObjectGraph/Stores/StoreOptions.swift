/// Options with which a store is opened.
public struct StoreOptions: Sendable {
  /// Whether a store is made where there is none.
  public var creates = true
  /// Whether the store is only read, and never written; if this process has it open already, that
  /// store is shared as it is.
  public var isReadOnly = false
  /// Seconds to wait for another writer, of this process or another, before giving up.
  public var timeout = 5.0
  /// The steps of the store's engine that a fetch or a figure may take before it ends with
  /// `tooLong`; without limit unless set.
  ///
  /// Each store says what it counts: `SQLiteStore` whole thousands of steps of its engine, of which it
  /// takes some ten for each row that it looks at. The limit is for requests of strangers: the same
  /// request on the same rows takes as many steps on any machine. What a save reads, and an object that is found by its id, has no limit.
  public var readLimit: Int?

  /// Creates missing stores, writes, waits five seconds, and reads without limit.
  public init(
    creates: Bool = true, isReadOnly: Bool = false, timeout: Double = 5, readLimit: Int? = nil
  ) {
    self.creates = creates
    self.isReadOnly = isReadOnly
    self.timeout = timeout
    self.readLimit = readLimit
  }
}
