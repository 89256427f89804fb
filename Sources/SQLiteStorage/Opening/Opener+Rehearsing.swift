import Foundation
import ObjectGraph
import SQLStorage

extension Opener {
  /// Examines a file that has the rollback journal of a killed program. Throws a refusal if the
  /// opening must refuse the file.
  ///
  /// The function examines a copy of the file and of its journal. In the file itself, SQLite's
  /// first read would roll back the killed program's transaction, and so change the file.
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
    let metadata = try examine(connection).metadata
    let wanted = SchemaShape(model, in: SQLiteDialect.self)
    guard !migrator.isUpToDate(metadata.record, wanted.hash) else { return }
    try migrator.refuseChanges(metadata.record, wanted, wanted.hash, isReadOnly: options.isReadOnly)
  }
}
