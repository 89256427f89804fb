public import Foundation
public import ObjectGraph

/// What became of an opening: a store to use, or why there is none.
///
/// A file that is refused keeps its bytes.
public enum Opening: Sendable {
  /// There was no file; now there is one.
  case created(SQLiteStore)
  /// The file had just this schema. It may have been open in this process already.
  case ready(SQLiteStore)
  /// The file had an older schema and was brought up to date.
  case migrated(SQLiteStore, Migrated)
  /// The file may be read but not written, or was asked to be opened so.
  case readOnly(SQLiteStore)
  /// The file was written by a newer program.
  case newer(found: Int, known: Int)
  /// The schema changed in ways that need a migration's step, all of them.
  case changed([SchemaChange])
  /// A migration's step threw; the file is as it was.
  case stepFailed(version: Int, String)
  /// Another program kept the file locked for too long.
  case locked(seconds: Double)
  /// The file contradicts itself, or has a view in a table's place.
  case damaged(String)
  /// It is another kind of file.
  case notADatabase
  /// It is a database, but not one of a store.
  case notAStore
  /// The file has no bytes: not an empty store, but the rest of something that went wrong.
  case empty
  /// It is a directory.
  case directory
  /// There is no file, and none was to be made.
  case missing
  /// The file, or the directory around it, may not be read or written.
  case noPermission(String)
  /// The file is open in this process with another schema.
  case otherSchema
  /// The caller no longer wanted it.
  case cancelled
  /// Anything else: a schema with mistakes, a full disk, no free descriptor. It says nothing about the
  /// file.
  case failed(GraphError)

  /// The store, if there is one to use.
  public var store: SQLiteStore? {
    switch self {
    case .created(let store), .ready(let store), .migrated(let store, _), .readOnly(let store):
      store
    default: nil
    }
  }
}

/// How a file was brought up to date.
public struct Migrated: Hashable, Sendable {
  /// The schema's version before.
  public let from: Int
  /// The schema's version now.
  public let to: Int
  /// What was done, a line each.
  public let steps: [String]
}

/// One way in which a schema differs from the file's.
public struct SchemaChange: Hashable, Sendable, CustomStringConvertible {
  /// The entity's name.
  public let entity: String
  /// The property's name, if it is about one.
  public let property: String?
  /// What changed, as the end of a sentence.
  public let message: String

  /// The entity, the property, and what changed.
  public var description: String { "\(entity)\(property.map { "." + $0 } ?? "") \(message)" }
}

/// A file that could not be opened.
public struct OpeningError: Error, CustomStringConvertible {
  /// The file.
  public let url: URL
  /// Why it is not open.
  public let opening: Opening

  /// The path, and why it is not open.
  public var description: String {
    "could not open \(url.namesFile ? url.path : url.absoluteString): \(opening)"
  }
}

extension Opening: CustomStringConvertible {
  /// What became of it, as the end of a sentence.
  public var description: String {
    switch self {
    case .created: "it was created"
    case .ready: "it is open"
    case .migrated(_, let migrated):
      "it was migrated from version \(migrated.from) to \(migrated.to)"
    case .readOnly: "it is open for reading only"
    case .newer(let found, let known):
      "a newer program wrote it (version \(found), this program knows \(known))"
    case .changed(let changes):
      "the schema changed without a migration: "
        + changes.map(\.description).joined(separator: "; ")
    case .stepFailed(let version, let message):
      "the migration to version \(version) failed: \(message)"
    case .locked(let seconds): "another program kept it locked for \(seconds) s"
    case .damaged(let message): "it is damaged (\(message))"
    case .notADatabase: "it is not a database"
    case .notAStore: "it is a database, but not a store"
    case .empty: "the file is empty"
    case .directory: "it is a directory"
    case .missing: "there is no such file"
    case .noPermission(let message): "not permitted (\(message))"
    case .otherSchema: "it is open with another schema"
    case .cancelled: "it was cancelled"
    case .failed(let error): "\(error.reason)"
    }
  }
}
