import Foundation
import LineageTestSupport

/// Functions that run the program `lineage-state` in a process of its own.
enum OtherProcess {
  /// The path of the program `lineage-state`, which is in the folder of the test program.
  static var tool: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "lineage-state").path
  }

  /// Runs the program with arguments. The returned output includes the errors.
  static func run(_ arguments: String...) throws -> (status: Int32, output: String) {
    try ChildProcess.run(tool, arguments)
  }

  /// Runs a shell command, in which `$0` is the path of the program and `$1`, `$2` … are the
  /// arguments.
  static func shell(
    _ command: String, _ arguments: String...
  ) throws -> (status: Int32, output: String) {
    try ChildProcess.run("/bin/sh", ["-c", command, tool] + arguments)
  }
}
