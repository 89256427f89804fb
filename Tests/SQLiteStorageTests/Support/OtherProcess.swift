import Foundation
import LineageTestSupport

/// Another process: the executable `LineageStoreProbe`, or any program.
final class OtherProcess {
  private let process: ChildProcess
  private var said = ""

  /// All that was waited for so far.
  var saidSoFar: String { said }

  init(_ program: URL, _ arguments: [String]) throws {
    process = try ChildProcess(program.path, arguments)
  }

  /// Starts `LineageStoreProbe`, which lies beside the tests.
  static func probe(_ arguments: String...) throws -> OtherProcess {
    try OtherProcess(probe, arguments)
  }

  static var probe: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageStoreProbe")
  }

  /// Starts a program on a file that takes lines of SQL and knows nothing of stores.
  static func sqlite3(_ file: URL) throws -> OtherProcess { try probe("sql", file.path) }

  /// Waits until it has said something; false if it ended before.
  func waits(for text: String) -> Bool {
    while !said.contains(text) {
      let bytes = process.output.availableData
      if bytes.isEmpty { return false }
      said += String(decoding: bytes, as: UTF8.self)
    }
    return true
  }

  func say(_ text: String) throws {
    try process.input.write(contentsOf: Data("\(text)\n".utf8))
  }

  /// Kills the process with `kill -9`, and waits for its end.
  func kill() { process.kill() }

  /// Waits for the end and returns all that the process said.
  func end() -> String {
    while true {
      let bytes = process.output.availableData
      if bytes.isEmpty { break }
      said += String(decoding: bytes, as: UTF8.self)
    }
    process.wait()
    return said
  }
}
