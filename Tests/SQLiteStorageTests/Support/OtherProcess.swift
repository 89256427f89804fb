import Foundation
import LineageTestSupport

/// A process that runs the executable `LineageStoreProbe` or another program.
final class OtherProcess {
  private let process: ChildProcess
  private var said = ""

  /// The output that was read so far.
  var saidSoFar: String { said }

  init(_ program: URL, _ arguments: [String]) throws {
    process = try ChildProcess(program.path, arguments)
  }

  /// Starts `LineageStoreProbe`, which is in the folder of the test program.
  static func probe(_ arguments: String...) throws -> OtherProcess {
    try OtherProcess(probe, arguments)
  }

  static var probe: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageStoreProbe")
  }

  /// Starts a process that reads lines of SQL and runs them on a file, without a store.
  static func sqlite3(_ file: URL) throws -> OtherProcess { try probe("sql", file.path) }

  /// Waits until the output contains a text. Returns false if the process ends before that.
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

  /// Waits for the end of the process, and returns its whole output.
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
