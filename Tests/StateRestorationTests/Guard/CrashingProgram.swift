import Foundation
import LineageTestSupport

/// A program with bugs. Each launch is a process of its own, and all launches use one state folder.
struct CrashingProgram {
  private let drawer: Drawer
  let folder: URL
  private let probe: URL

  /// Creates a program with the given state folder, or with a new folder if it is nil.
  init(_ place: URL? = nil) throws {
    drawer = try Drawer()
    folder = place ?? drawer.file("state")
    probe = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageStateProbe")
  }

  var page: URL { folder.appending(path: "guard") }

  /// The output of one launch, and the status with which its process ended.
  struct Launch {
    let lines: [String]
    /// The exit code, or the negative number of the signal that ended the process.
    let status: Int32

    /// Returns the other words of the first line that begins with the given word.
    func words(_ first: String) -> [String] {
      lines.first { $0.hasPrefix("\(first) ") }
        .map { $0.split(separator: " ").dropFirst().map(String.init) } ?? []
    }

    var leftOut: [String] { words("leftOut") }
    var restored: [String] { words("restored") }
    var reason: String { words("reason").first ?? "" }
    var culprit: String { words("culprit").first ?? "" }
    var problems: [String] {
      lines.filter { $0.hasPrefix("problem ") }.map { String($0.dropFirst(8)) }
    }
    var notes: [String] {
      lines.filter { $0.hasPrefix("note ") }.map { String($0.dropFirst(5)) }
    }
    /// Whether the launch reached its end without a crash.
    var isReady: Bool { lines.contains("ready") }
    var isGuarded: Bool { lines.contains("guard on") }
  }

  /// Runs one launch with bugs and options. The process then executes the lines of input. At their
  /// end it kills itself, unless a line has terminated the application.
  @discardableResult
  func launch(_ words: String..., lines: [String] = []) throws -> Launch {
    try launch(words, lines)
  }

  func launch(_ words: [String], _ lines: [String]) throws -> Launch {
    let process = try ChildProcess(probe.path, ["crashing", folder.path] + words)
    let input = lines.map { "\($0)\n" }.joined()
    signal(SIGPIPE, SIG_IGN)
    try? process.input.write(contentsOf: Data(input.utf8))
    try? process.input.close()
    let said = process.end()
    return Launch(
      lines: said.split(separator: "\n").map(String.init), status: process.wait())
  }

  /// Launches the program once, to make screens with the given names. The launch ends without a
  /// crash.
  func make(_ names: String...) throws {
    let launch = try launch(["version=1"], ["make \(names.joined(separator: " "))", "terminate"])
    guard launch.status == 0 else { throw Mishap("The tree was not made: \(launch.lines)") }
  }
}
