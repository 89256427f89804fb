import Foundation
import LineageTestSupport

/// Functions that start the program `LineageStoreProbe` in a process of its own.
enum OtherProcess {
  /// The program, which is in the folder of the test program.
  static var probe: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageStoreProbe")
  }

  /// Starts the program with arguments.
  static func probe(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(probe.path, arguments)
  }

  /// Starts a process that reads lines of SQL and runs them on a file, without a store.
  static func sqlite3(_ file: URL) throws -> ChildProcess { try probe("sql", file.path) }
}
