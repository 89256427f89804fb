import CSQLite
import ObjectGraph

/// What SQLite said when it failed.
package struct Fault: Error, CustomStringConvertible {
  /// The extended result code.
  package let code: Int32
  package let message: String

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// The last failure of a connection.
  init(_ connection: OpaquePointer?) {
    code = sqlite3_extended_errcode(connection)
    message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "out of memory"
  }

  /// The code without its extension.
  var primary: Int32 { code & 0xff }

  package var description: String { "\(message) (\(code))" }

  var isConstraint: Bool { primary == SQLITE_CONSTRAINT }
  var isUniqueness: Bool { code == SQLITE_CONSTRAINT | 8 << 8 }
  var isTakenID: Bool {
    code == SQLITE_CONSTRAINT | 6 << 8 || code == SQLITE_CONSTRAINT | 10 << 8
  }
  var isForeignKey: Bool { code == SQLITE_CONSTRAINT | 3 << 8 }
  /// The statement does not fit the file's tables.
  var isMisunderstanding: Bool { primary == SQLITE_ERROR || primary == SQLITE_SCHEMA }
  /// A sum of integers became too much.
  var isOverflow: Bool { code == SQLITE_ERROR && message == "integer overflow" }
  var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

  /// The same in the graph's words.
  func error(_ attempted: String, waited: Double = 0) -> GraphError {
    GraphError(attempted, reason(waited: waited))
  }

  private func reason(waited: Double) -> GraphError.Reason {
    switch primary {
    case SQLITE_FULL: .full
    case SQLITE_BUSY, SQLITE_LOCKED: .timeout(seconds: waited)
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(message)
    case SQLITE_READONLY: .readOnly
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM: .inputOutput(description)
    default: .store(code: Int(code), message)
    }
  }
}
