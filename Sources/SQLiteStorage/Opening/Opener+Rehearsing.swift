import Foundation
import ObjectGraph
import SQLStorage

extension Opener {
  /// Examines a file that has the rollback journal of a killed program. Throws a refusal if there
  /// is a reason to refuse the file.
  ///
  /// The function examines a copy of the file and its journal, because SQLite's first read would
  /// roll back that program's transaction in the file itself.
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
