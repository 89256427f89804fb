/// How a store is opened.
public struct StoreOptions: Sendable {
  /// Whether a file is made where there is none.
  public var creates = true
  /// Whether the file is only read, and never written; if this process has it open already, that
  /// store is shared as it is.
  public var isReadOnly = false
  /// Seconds to wait for another writer, of this process or another, before giving up.
  public var timeout = 5.0
  /// The steps of SQLite's machine that a fetch or a figure may take, rounded up to whole thousands,
  /// before it ends with `tooLong`; without limit unless set.
  ///
  /// A row that is looked at takes some ten steps. It is for requests of strangers: the same request
  /// on the same rows takes as many steps on any machine. What a save reads, and an object that is
  /// found by its id, has no limit.
  public var readLimit: Int?
  /// Pages in the log after which it is copied into the file.
  package var logPages = 1000
  /// The size at which the disk is full, for tests.
  package var maximumPages: Int?

  /// Creates missing files, writes, waits five seconds, and reads without limit.
  public init(
    creates: Bool = true, isReadOnly: Bool = false, timeout: Double = 5, readLimit: Int? = nil
  ) {
    self.creates = creates
    self.isReadOnly = isReadOnly
    self.timeout = timeout
    self.readLimit = readLimit
  }
}
