package import Foundation

/// The program `flashcards`.
package enum FlashCards {
  /// Variables for the program. At its exit, objects live that have weak references. Their side
  /// tables are reachable only by bits of the objects that the leak sanitizer takes for no pointer.
  package static let variables = ["ASAN_OPTIONS": "detect_leaks=0"]

  /// The path of the program, which is in the folder of the test program.
  package static var program: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "flashcards").path
  }

  /// Runs a script with the data in a folder, and returns the frames that it prints.
  package static func run(
    _ script: String, in folder: URL, _ arguments: [String] = []
  ) throws -> [String] {
    let file = folder.appending(path: "script-\(UUID().uuidString)")
    try Data(script.utf8).write(to: file)
    let result = try ChildProcess.run(
      program, ["--data", folder.path, "--script", file.path] + arguments, variables)
    guard result.status == 0 else { throw Mishap(result.output) }
    // A frame has 23 line breaks, and there are two after it.
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    return stride(from: 0, to: lines.count - 24, by: 25).map { start in
      lines[start..<start + 24].joined(separator: "\n")
    }
  }
}
