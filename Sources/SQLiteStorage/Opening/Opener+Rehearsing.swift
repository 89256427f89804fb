import Foundation
import ObjectGraph
import SQLStorage

extension Opener {
  /// Refuses a file with the rollback journal of a program that was killed, on a copy of both: SQLite
  /// takes the file back to before that program's transaction when it first reads.
  func rehearse() throws {
    let copy = NewFile(at: path)
    defer { copy.clear() }
    do {
      for end in ["", "-journal"] {
        try cancellation.check()
        try FileManager.default.copyItem(atPath: path + end, toPath: copy.draft + end)
      }
    } catch let error as CocoaError {
      throw GraphError(
        "copy \(path)", error.code == .fileWriteOutOfSpace ? .full : .inputOutput("\(error)"))
    }
    let connection = try Connection(
      path: copy.draft, mode: .read, waiting: options.timeout, for: cancellation)
    defer { connection.close() }
    connection.readsViews(false)
    let metadata = try examine(connection)
    let wanted = SchemaShape(model, in: SQLiteDialect.self)
    guard !migrator.isUpToDate(metadata.record, wanted.hash) else { return }
    try migrator.refuseChanges(
      metadata.record, wanted, wanted.hash, isReadOnly: options.isReadOnly)
  }
}
