import CLineageSQLite
import ObjectGraph

/// The judge of what a program's statement does. SQLite asks it while it prepares a statement.
///
/// It is installed when its connection opens, and judges only during ``judging(_:)``. Installing it
/// for each such statement was rejected, because SQLite then prepares all ready statements again.
///
/// SQLite keeps the address of this object. This is safe because the connection retains the object
/// until SQLite has closed the handle.
@safe
final class Authorizer {
  private var isOn = false
  private var tables: Set<String> = []
  private var refusal: String?

  /// Installs the authorizer on a connection's handle.
  func attach(to handle: OpaquePointer) {
    let address = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe sqlite3_set_authorizer(
      handle,
      { address, action, first, second, _, _ in
        guard let address = unsafe address else { return SQLITE_OK }
        let authorizer = unsafe Unmanaged<Authorizer>.fromOpaque(address).takeUnretainedValue()
        guard authorizer.isOn else { return SQLITE_OK }
        let names = unsafe [first, second].map { name in
          unsafe name.map { unsafe String(cString: $0) } ?? ""
        }
        return authorizer.permits(action, names[0], names[1]) ? SQLITE_OK : SQLITE_DENY
      }, address)
  }

  /// Runs a closure that prepares a statement. Returns its result, and the names of the tables that
  /// the statement may read, in lower case.
  ///
  /// - Throws: The error of the closure, or a `StatementRefusal` if the statement does anything but
  ///   read tables that are not the store's own.
  func judging<Result>(_ prepare: () throws -> Result) throws -> (Result, tables: Set<String>) {
    (isOn, tables, refusal) = (true, [], nil)
    defer { isOn = false }
    do {
      return (try prepare(), tables)
    } catch {
      throw refusal.map { StatementRefusal(message: $0) } ?? error
    }
  }

  private func permits(_ action: Int32, _ first: String, _ second: String) -> Bool {
    let message: String?
    switch action {
    case SQLITE_SELECT, SQLITE_RECURSIVE: message = nil
    case SQLITE_READ:
      // SQLite names a table of which no column is read as the statement does.
      let table = first.foldedName
      let isOwn = ["lineage_", "sqlite_", "pragma_"].contains { table.hasPrefix($0) }
      message = isOwn ? "it must not read \(first), which is no table of an entity" : nil
      tables.insert(table)
    case SQLITE_FUNCTION:
      let name = second.foldedName
      let isOwn = name.hasPrefix("lineage_") || name == "load_extension"
      message = isOwn ? "it must not call \(second)" : nil
    default:
      let words = Self.words[action] ?? "a change"
      message = "it must only read, but contains \(words)"
    }
    guard let message else { return true }
    refusal = refusal ?? message
    return false
  }

  /// The names of the actions of which a program may think that they read.
  private static let words: [Int32: String] = [
    SQLITE_INSERT: "an insertion", SQLITE_UPDATE: "an update", SQLITE_DELETE: "a deletion",
    SQLITE_PRAGMA: "a pragma", SQLITE_ATTACH: "ATTACH", SQLITE_DETACH: "DETACH",
    SQLITE_TRANSACTION: "the begin or the end of a transaction", SQLITE_SAVEPOINT: "a savepoint",
    SQLITE_REINDEX: "REINDEX", SQLITE_ANALYZE: "ANALYZE",
  ]
}

/// The reason why a program's statement is not run.
struct StatementRefusal: Error {
  let message: String
}
