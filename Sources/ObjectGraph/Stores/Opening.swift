/// The outcome of opening a store: the store, or the reason why there is none.
///
/// If the outcome has no store, opening has changed nothing: a file keeps its bytes.
///
/// `Opening<Never>` is an outcome without a store. Code that examines a file before a store exists
/// returns such an outcome, and an ``OpeningError`` contains one.
public enum Opening<Store: Sendable>: Sendable {
  /// The store did not exist and was created.
  case created(Store)
  /// The store already has this program's schema. The store may also have been open in this process
  /// before.
  case ready(Store)
  /// The store had an older schema and was migrated.
  case migrated(Store, Migrated)
  /// The store can only be read, or the options request a store for reading only.
  case readOnly(Store)
  /// A newer program wrote the store. The numbers are the versions of the store's schema and of
  /// this program's schema.
  case newer(found: Int, known: Int)
  /// The schema has changed, and the migration lacks steps for these changes.
  case changed([SchemaChange])
  /// A step of the migration threw an error. The store was not changed.
  case stepFailed(version: Int, String)
  /// Another program kept the store locked for longer than the timeout.
  case locked(seconds: Double)
  /// The content of the store contradicts itself, or the store has a view where a table should be.
  case damaged(String)
  /// The file is not a database.
  case notADatabase
  /// The file is a database, but not the database of a store.
  case notAStore
  /// The file has no bytes. Even an empty store has bytes, so this is the result of some error.
  case empty
  /// The URL leads to a directory.
  case directory
  /// The store does not exist, and the options do not allow creating it.
  case missing
  /// The process has no permission to read or write the store or its directory.
  case noPermission(String)
  /// The store is open in this process with another schema.
  case otherSchema
  /// The caller cancelled the opening.
  case cancelled
  /// Another error, such as mistakes in the schema, a full disk or no free file descriptor. The
  /// store itself may be fine.
  case failed(GraphError)

  /// The store; nil if it could not be opened.
  public var store: Store? {
    switch self {
    case .created(let store), .ready(let store), .migrated(let store, _), .readOnly(let store):
      store
    default: nil
    }
  }
}

extension Opening {
  /// The reason why there is no store; nil if there is one.
  package var refusal: Opening<Never>? {
    try? map { _ -> Never in throw CancellationError() }
  }

  /// Returns the outcome with a store that the closure makes from this outcome's store. An outcome
  /// without a store stays the same.
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
  /// Returns this outcome as an outcome for another type of store.
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
