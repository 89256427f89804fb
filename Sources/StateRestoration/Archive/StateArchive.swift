/// The state of a tree as bytes, from which another process restores the same tree.
///
/// An archive is a value that can be sent, stored and compared. A launch checks its bytes, and so
/// does ``validate(limits:)``.
public struct StateArchive: Sendable, Equatable {
  /// The bytes of the archive.
  public let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Creates an archive from bytes. The bytes are not checked yet.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  public init(bytes: some Sequence<UInt8>) { self.init(Array(bytes)) }

  /// The number of bytes.
  public var count: Int { bytes.count }

  /// Checks the archive, and returns the findings. No code of an app runs.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  public func validate(limits: RestorationLimits = RestorationLimits()) -> ArchiveFindings {
    ArchivedTree(self, limits).findings
  }
}

/// The result of checking an archive.
public struct ArchiveFindings: Sendable, Equatable {
  /// The fault that makes the archive unusable; nil if none.
  public internal(set) var fault: StateArchive.Fault?
  /// The serial number of the archive. Each save makes an archive with a greater number.
  public internal(set) var generation: UInt64 = 0
  /// The number of records that can be read.
  public internal(set) var records = 0
  /// The number of damaged records.
  public internal(set) var damaged = 0
  /// The number of bytes after the archive's end. These bytes are not used.
  public internal(set) var unusedBytes = 0
}

extension StateArchive {
  /// A fault that makes the whole archive unusable.
  public enum Fault: Error, Sendable, Equatable {
    /// There are no bytes.
    case empty
    /// The bytes are not an archive of this library.
    case foreign
    /// The archive has a format that only a newer version of this library can read.
    case newerFormat(Int)
    /// The archive has a format that only an older version of this library can read.
    case olderFormat(Int)
    /// The archive is not whole, or its header is damaged.
    case damaged(String)
    /// The archive has more bytes or records than a limit allows.
    case tooLarge(String)
  }
}

extension StateArchive.Fault: CustomStringConvertible {
  /// The fault, as a sentence.
  public var description: String {
    switch self {
    case .empty: "The archive is empty."
    case .foreign: "The bytes are no archive of Lineage."
    case .newerFormat(let format):
      "The archive has format \(format), which a newer version has written. "
        + "This one reads format \(ArchiveFormat.major)."
    case .olderFormat(let format):
      "The archive has format \(format), which an older version has written. "
        + "This one reads format \(ArchiveFormat.major)."
    case .damaged(let what): "The archive is damaged: \(what)."
    case .tooLarge(let what): "The archive is too large: \(what)."
    }
  }
}

/// The limits on the size of state, set by ``Restoration/limits``. State beyond a limit is not
/// saved or not read, as each limit says.
public struct RestorationLimits: Sendable, Equatable {
  /// The greatest number of bytes of one value. A larger value is not saved, and the archive keeps
  /// the value that was saved last.
  public var valueBytes = 1 << 20
  /// The greatest number of bytes of one record. A larger record is not saved, and the archive
  /// keeps the record that was saved last.
  public var recordBytes = 4 << 20
  /// The greatest number of bytes of the unsaved changes of one context. Of larger changes, nothing is
  /// saved.
  public var editBytes = 1 << 20
  /// The greatest number of bytes of an archive. A larger archive is neither read nor saved.
  public var archiveBytes = 64 << 20
  /// The greatest depth of a record, which is 1 directly below the application. A deeper record is
  /// neither restored nor saved.
  public var depth = 10_000
  /// The greatest number of records of an archive. An archive with more records is neither read nor
  /// saved.
  public var records = 1_000_000
  /// The number of launches for which an unrestored record is kept. After that, the report says
  /// that the next launch will remove the record.
  ///
  /// A launch counts if it restores any record besides the application's own, and saves the whole
  /// state. A launch that does not want all records removes none.
  public var carriedLaunches = 5
  /// The number of days for which an unrestored record is kept. After that, the report says that
  /// the next launch will remove the record.
  public var carriedDays = 30.0

  /// Creates the default limits.
  public init() {}
}
