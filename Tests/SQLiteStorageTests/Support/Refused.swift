import Foundation
import LineageTestSupport
import ObjectGraph

/// Returns the text of the error that a closure throws; nil if it throws none.
func refusedText<Result>(_ body: () throws -> Result) -> String? {
  do { _ = try body() } catch { return "\(error)" }
  return nil
}

/// Returns the reason of the error that a closure throws; nil if it throws none.
func refusedReason<Result>(_ body: () throws -> Result) -> String? {
  do { _ = try body() } catch { return (error as? GraphError).map { "\($0.reason)" } ?? "\(error)" }
  return nil
}

extension Drawer {
  /// Runs SQL on a file in a process without a store, and returns the output.
  @discardableResult
  static func sqlite3(_ sql: String, _ file: URL) throws -> String {
    try ChildProcess.run(OtherProcess.probe.path, ["sql", file.path, sql]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
