/// How a store is opened.
public struct StoreOptions: Sendable {
  /// Whether a file is made where there is none.
  public var creates = true
  /// Whether the file is only read, and never written; if this process has it open already, that
  /// store is shared as it is.
  public var isReadOnly = false
  /// Seconds to wait for another writer, of this process or another, before giving up.
  public var timeout = 5.0
  /// Pages in the log after which it is copied into the file.
  package var logPages = 1000
  /// The size at which the disk is full, for tests.
  package var maximumPages: Int?

  /// Creates missing files, writes, and waits five seconds.
  public init(creates: Bool = true, isReadOnly: Bool = false, timeout: Double = 5) {
    self.creates = creates
    self.isReadOnly = isReadOnly
    self.timeout = timeout
  }
}
