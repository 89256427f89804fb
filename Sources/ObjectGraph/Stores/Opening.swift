/// The outcome of an opening: a store to use, or why there is none.
///
/// A store that is refused stays as it was: a file keeps its bytes.
///
/// `Opening<Never>` is an opening that gave no store.
public enum Opening<Store: Sendable>: Sendable {
  /// There was no store; now there is one.
  case created(Store)
  /// The store had just this schema. It may have been open in this process already.
  case ready(Store)
  /// The store had an older schema and was brought up to date.
  case migrated(Store, Migrated)
  /// The store may be read but not written, or was asked to be opened so.
  case readOnly(Store)
  /// The store was written by a newer program.
  case newer(found: Int, known: Int)
  /// The schema changed in ways that need a migration's step, all of them.
  case changed([SchemaChange])
  /// A migration's step threw; the store is as it was.
  case stepFailed(version: Int, String)
  /// Another program kept the store locked for too long.
  case locked(seconds: Double)
  /// The store contradicts itself, or has a view in a table's place.
  case damaged(String)
  /// It is another kind of file.
  case notADatabase
  /// It is a database, but not one of a store.
  case notAStore
  /// The file has no bytes: not an empty store, but the rest of something that went wrong.
  case empty
  /// It is a directory.
  case directory
  /// There is no store, and none was to be made.
  case missing
  /// The store, or the directory around it, may not be read or written.
  case noPermission(String)
  /// The store is open in this process with another schema.
  case otherSchema
  /// The caller no longer wanted it.
  case cancelled
  /// Anything else: a schema with mistakes, a full disk, no free descriptor. It says nothing about the
  /// store.
  case failed(GraphError)

  /// The store, if there is one to use.
  public var store: Store? {
    switch self {
    case .created(let store), .ready(let store), .migrated(let store, _), .readOnly(let store):
      store
    default: nil
    }
  }
}

extension Opening {
  /// Why there is no store; nil if there is one.
  package var refusal: Opening<Never>? {
    try? map { _ -> Never in throw CancellationError() }
  }

  /// Returns the opening with what a closure makes of the store, if there is one.
  package func map<Other>(_ make: (Store) throws -> Other) rethrows -> Opening<Other> {
    switch self {
    case .created(let store): .created(try make(store))
    case .ready(let store): .ready(try make(store))
    case .migrated(let store, let how): .migrated(try make(store), how)
    case .readOnly(let store): .readOnly(try make(store))
    case .newer(let found, let known): .newer(found: found, known: known)
    case .changed(let changes): .changed(changes)
    case .stepFailed(let version, let message): .stepFailed(version: version, message)
    case .locked(let seconds): .locked(seconds: seconds)
    case .damaged(let message): .damaged(message)
    case .notADatabase: .notADatabase
    case .notAStore: .notAStore
    case .empty: .empty
    case .directory: .directory
    case .missing: .missing
    case .noPermission(let message): .noPermission(message)
    case .otherSchema: .otherSchema
    case .cancelled: .cancelled
    case .failed(let error): .failed(error)
    }
  }
}

extension Opening where Store == Never {
  /// Returns the refusal as the opening of a kind of store.
  package func refusing<Other>(_: Other.Type = Other.self) -> Opening<Other> {
    map { (_: Never) -> Other in }
  }
}

extension Opening: CustomStringConvertible {
  /// The outcome as the end of a sentence.
  public var description: String {
    switch self {
    case .created: "it was created"
    case .ready: "it is open"
    case .migrated(_, let how): "it was migrated from version \(how.from) to \(how.to)"
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
