import Foundation
import LineageTestSupport

/// Runs of the program `lineage-state` as a process.
enum OtherProcess {
  /// The path of the program, which lies beside the tests.
  static var tool: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "lineage-state").path
  }

  /// Runs the tool. The output includes the errors.
  static func run(_ arguments: String...) throws -> (status: Int32, output: String) {
    try ChildProcess.run(tool, arguments)
  }

  /// Runs a command of the shell. Its arguments are `$1`, `$2` and so on, and `$0` is the tool.
  static func shell(
    _ command: String, _ arguments: String...
  ) throws -> (status: Int32, output: String) {
    try ChildProcess.run("/bin/sh", ["-c", command, tool] + arguments)
  }
}
