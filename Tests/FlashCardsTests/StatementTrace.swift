import CLineageSQLite
import Dispatch
import Foundation
import Synchronization

/// A record of the statements that SQLite runs on the main actor for the files in one folder.
///
/// SQLite itself tells of them, so neither the program nor the library has a line for it.
final class StatementTrace: Sendable {
  /// The texts of the statements that were begun, and the number of rows that they have returned.
  struct Work: Equatable, Sendable {
    var statements: [String] = []
    var rows = 0
  }

  private let folder: String
  private let work = Mutex(Work())

  /// The mark of the main queue, which runs the main actor. On Linux, its thread is not the main one.
  private static let isMain = QueueMark()

  private struct QueueMark: @unchecked Sendable {
    // The key is only an address, and is never changed.
    let key = DispatchSpecificKey<Bool>()
  }

  /// All records. SQLite keeps their addresses, so they stay until the process ends.
  private static let all = Mutex<[StatementTrace]>([])

  /// The one-time call that lets SQLite tell of each connection that is opened from now on.
  private static let isInstalled: Bool = {
    typealias Connected =
      @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
      ) -> CInt
    let connected: Connected = { connection, _, _ in
      StatementTrace.attach(to: connection)
      return SQLITE_OK
    }
    // SQLite declares the function without its parameters, and calls it with them.
    let code = sqlite3_auto_extension(
      unsafeBitCast(connected, to: (@convention(c) () -> Void).self))
    DispatchQueue.main.setSpecific(key: isMain.key, value: true)
    return code == SQLITE_OK
  }()

  /// Records what is run on connections to files in the folder that are opened from now on.
  init(of folder: URL) {
    precondition(Self.isInstalled)
    self.folder = folder.lastPathComponent
    Self.all.withLock { $0.append(self) }
  }

  /// Returns the work since the last call of this function.
  func take() -> Work {
    work.withLock { work in
      defer { work = Work() }
      return work
    }
  }

  private static func attach(to connection: OpaquePointer?) {
    guard let path = sqlite3_db_filename(connection, "main").map({ String(cString: $0) }),
      let trace = all.withLock({ $0.first { path.contains($0.folder) } })
    else { return }
    sqlite3_trace_v2(
      connection, CUnsignedInt(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW),
      { event, trace, _, text in
        guard let trace else { return 0 }
        let me = Unmanaged<StatementTrace>.fromOpaque(trace).takeUnretainedValue()
        let isStatement = event == CUnsignedInt(SQLITE_TRACE_STMT)
        me.note(
          isStatement ? text.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } : nil)
        return 0
      }, Unmanaged.passUnretained(trace).toOpaque())
  }

  /// Notes a statement, or a row if the statement is nil.
  private func note(_ statement: String?) {
    guard DispatchQueue.getSpecific(key: Self.isMain.key) != nil else { return }
    work.withLock { work in
      if let statement { work.statements.append(statement) } else { work.rows += 1 }
    }
  }
}
