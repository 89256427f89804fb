import Foundation
import LineageTestSupport

extension Drawer {
  /// Runs SQL on the file in a process without a store, and returns the output.
  @discardableResult
  func sqlite3(_ sql: String) throws -> String {
    try ChildProcess.run(OtherProcess.probe.path, ["sql", file().path, sql]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
