import CLineageSQLite
import Foundation
import LineageFiles
import ObjectGraph

/// A failure of a call of SQLite.
package struct SQLiteFault: Error, CustomStringConvertible {
  /// SQLite's extended result code.
  package let code: Int32
  package let message: String
  /// The system's error number, if the system failed to read, write or open; otherwise zero.
  let systemError: Int32
  /// The reason why a read was ended early; nil if the failure has another cause.
  let end: GraphError.Reason?

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
    systemError = 0
    end = nil
  }

  /// Creates a fault from a connection's last failure.
  init(of connection: OpaquePointer?, end: GraphError.Reason? = nil) {
    self.end = end
    code = unsafe sqlite3_extended_errcode(connection)
    message =
      unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? "out of memory"
    systemError = unsafe Self.systemError(of: connection, code)
  }

  private static func systemError(of connection: OpaquePointer?, _ code: Int32) -> Int32 {
    guard [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff) else { return 0 }
    let told = unsafe sqlite3_system_errno(connection)
    // Only these failures can come from a full disk: writing, synchronising a file or its folder,
    // truncating, and growing the log's index.
    guard [3, 4, 5, 6, 19, 21].contains(code >> 8), code & 0xff == SQLITE_IOERR, !isFull(told)
    else { return told }
    // If the end of a transaction fails, SQLite keeps the error number only for the file that
    // caused it, which is the file itself or its log.
    var errors: [Int32] = [0, 0]
    unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_LAST_ERRNO, &errors[0])
    var log: UnsafeMutablePointer<sqlite3_file>?
    unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
    // SQLite keeps the log's file while the connection lives. A closed file has no methods.
    _ = unsafe log?.pointee.pMethods?.pointee
      .xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &errors[1])
    return errors.first(where: isFull) ?? told
  }

  /// SQLite's primary result code: the lower eight bits of the extended code.
  var primary: Int32 { code & 0xff }

  package var description: String {
    let system = systemError == 0 ? "" : ": \(SystemCalls.message(of: systemError))"
    return "\(message) (\(code))\(system)"
  }

  var isConstraint: Bool { primary == SQLITE_CONSTRAINT }
  var isUniqueness: Bool { code == SQLITE_CONSTRAINT | 8 << 8 }
  var isTakenID: Bool {
    code == SQLITE_CONSTRAINT | 6 << 8 || code == SQLITE_CONSTRAINT | 10 << 8
  }
  var isForeignKey: Bool { code == SQLITE_CONSTRAINT | 3 << 8 }
  /// Whether the cause may be that the file lacks a table or column that the statement names.
  var isMisunderstanding: Bool { primary == SQLITE_ERROR || primary == SQLITE_SCHEMA }
  /// Whether a sum of integers exceeded 64 bits.
  var isOverflow: Bool { code == SQLITE_ERROR && message == "integer overflow" }
  var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

  /// Whether no file descriptor was left. The file itself may be in order then.
  var isShortage: Bool { systemError == EMFILE || systemError == ENFILE }

  /// Returns whether an error number of the system means that there is no space left. The cause is
  /// a full disk, the user's quota, or a limit on the file's size.
  static func isFull(_ systemError: Int32) -> Bool {
    [ENOSPC, EDQUOT, EFBIG].contains(systemError)
  }

  /// Returns the failure as a `GraphError` that names the attempted operation. `waited` is the time
  /// spent waiting for a lock, in seconds.
  func error(_ attempted: String, waited: Double = 0) -> GraphError {
    GraphError(attempted, reason(waited: waited))
  }

  private func reason(waited: Double) -> GraphError.Reason {
    if let end { return end }
    return switch primary {
    case SQLITE_FULL: .full
    // SQLite reports SQLITE_PROTOCOL when it could not get a lock of the log for ten seconds.
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .timeout(seconds: waited)
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(message)
    case SQLITE_READONLY: .readOnly
    case _ where Self.isFull(systemError): .full
    case _ where isOverflow: .figure("the sum is more than 64 bits hold")
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM: .inputOutput(description)
    default: .store(code: "\(code)", message)
    }
  }
}
