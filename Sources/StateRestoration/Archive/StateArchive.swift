/// The state of a tree as bytes, which restore the same tree in another process.
///
/// An archive is a value that can be sent, stored and compared. Its first bytes are a base with all
/// records. Each later save may append the records that have changed since. The bytes are read when
/// an application is launched with the archive, and by ``validate(limits:)``.
public struct StateArchive: Sendable {
  /// The base, and what each later save has appended.
  let chunks: [ArchiveChunk]

  init(chunks: [ArchiveChunk]) { self.chunks = chunks }

  /// Creates an archive from bytes, which are not checked here.
  public init(bytes: some Sequence<UInt8>) {
    chunks = [ArchiveChunk(Array(bytes))]
  }

  /// All bytes of the archive.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  public var bytes: [UInt8] { chunks.count == 1 ? chunks[0].bytes : chunks.flatMap(\.bytes) }

  /// The number of bytes.
  public var count: Int { chunks.reduce(0) { $0 + $1.bytes.count } }

  /// Checks the archive without any code of an app, and returns what was found.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  public func validate(limits: RestorationLimits = RestorationLimits()) -> ArchiveFindings {
    ArchiveLog.open(self, limits: limits).findings
  }
}

extension StateArchive: Equatable {
  /// Returns whether both archives have the same bytes.
  public static func == (one: StateArchive, other: StateArchive) -> Bool {
    one.chunks.elementsEqual(other.chunks, by: ===)
      || one.count == other.count && one.bytes == other.bytes
  }
}

/// The result of checking an archive.
public struct ArchiveFindings: Sendable, Equatable {
  /// A problem that concerns the whole archive.
  public enum Problem: Error, Sendable, Equatable {
    /// There are no bytes.
    case empty
    /// The bytes are no archive of this library.
    case foreign
    /// The archive has a format that only a newer version of this library can read.
    case newerFormat(Int)
    /// The base is not complete or its header is damaged.
    case damaged(String)
    /// The archive is larger than a limit.
    case tooLarge(String)
  }

  /// The problem that makes the whole archive unusable; nil if there is none.
  public internal(set) var problem: Problem?
  /// The number of the full save that has written the base.
  public internal(set) var generation: UInt64 = 0
  /// The number of records that can be read.
  public internal(set) var records = 0
  /// The number of records and lists of children in the base whose bytes are damaged.
  public internal(set) var damaged = 0
  /// The number of bytes at the end that belong to no complete save, and are not used.
  public internal(set) var unusedBytes = 0
}

extension ArchiveFindings.Problem: CustomStringConvertible {
  /// The problem, as a sentence.
  public var description: String {
    switch self {
    case .empty: "The archive is empty."
    case .foreign: "The bytes are no archive of Lineage."
    case .newerFormat(let format):
      "The archive has format \(format), which a newer version has written. "
        + "This one reads formats up to \(ArchiveFormat.major)."
    case .damaged(let what): "The archive is damaged: \(what)."
    case .tooLarge(let what): "The archive is too large: \(what)."
    }
  }
}

/// The limits beyond which state is not kept or not read. ``Restoration/limits`` has them.
public struct RestorationLimits: Sendable, Equatable {
  /// The greatest number of bytes of one value. A larger value is not saved, and that of the last
  /// save stays.
  public var keyBytes = 1 << 20
  /// The greatest number of bytes of one record. A larger record is not saved, and that of the last
  /// save stays.
  public var recordBytes = 4 << 20
  /// The greatest number of bytes of an archive. A larger archive is neither read nor saved.
  public var archiveBytes = 64 << 20
  /// The greatest depth of a record. Records directly below the application have depth 1. A deeper
  /// record is neither restored nor saved.
  public var depth = 10_000
  /// The greatest number of records of an archive. An archive with more is neither read nor saved.
  public var records = 1_000_000
  /// The number of launches after which a record that nothing has restored is reported. The next
  /// launch removes it. Launches that restore no record do not count.
  public var carriedLaunches = 5
  /// The number of days after which a record that nothing has restored is reported. The next
  /// launch removes it.
  public var carriedDays = 30.0

  /// Creates the usual limits.
  public init() {}
}
