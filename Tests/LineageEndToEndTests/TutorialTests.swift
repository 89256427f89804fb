import Foundation
import LineageTestSupport
import Testing

/// Tests that build the program of the tutorial from the samples of its article, step by step. The
/// programs get what the article shows as typed, and must print what it shows.
@Suite("The tutorial", .hangGuard)
struct TutorialTests {
  @Test("Each step has at most 40 lines of code, shows what it prints, and ends with a task")
  func lengths() throws {
    let steps = try Tutorial().steps
    #expect(steps.count == 6)
    for step in steps {
      #expect(step.length <= 40, "\(step.title)")
      #expect(!step.session.isEmpty && step.hasTask, "\(step.title)")
    }
  }

  @Test("Each step compiles, and its program prints what the article shows", .callsCompiler)
  func programs() throws {
    let folder = try Drawer()
    var files: [String: String] = [:]
    for (number, step) in try Tutorial().steps.enumerated() {
      for change in step.changes { try change.apply(to: &files) }
      let program = folder.file("App-\(number)")
      try ClientCompiler.build(files, as: program)
      var session = TutorialSession(program: program, folder: folder.url)
      for line in step.session { try session.take(line) }
      try session.end()
    }
  }
}

/// A replay of what a terminal shows in the tutorial.
private struct TutorialSession {
  let program: URL
  let folder: URL
  private var process: ChildProcess?
  /// The number of characters of the output that were compared already.
  private var compared = 0
  /// The lines that the program must print next.
  private var expected: [String] = []
  /// Whether the article leaves out what is printed before the expected lines.
  private var skips = false
  private var typed = ""

  init(program: URL, folder: URL) { (self.program, self.folder) = (program, folder) }

  /// Takes a line of the article: a line of output, or one that is typed.
  mutating func take(_ line: String) throws {
    if line == "$ swift run App" {
      try end()
      process = try ChildProcess(
        "/bin/sh", ["-c", "cd \"$0\" && exec \"$1\"", folder.path, program.path])
    } else if line == "Killed" {
      try compare()
      try waitUntilStored()
      process?.kill()
      (process, compared) = (nil, 0)
    } else if line == "…" {
      try compare()
      skips = true
    } else if line.hasPrefix("> ") {
      try compare()
      typed = String(line.dropFirst(2))
      try process?.say(typed)
    } else {
      expected.append(line)
    }
  }

  /// Waits for the end of the program.
  mutating func end() throws {
    try compare()
    guard let process else { return }
    let output = process.end().dropFirst(compared)
    #expect(process.wait() == 0 && output.isEmpty, "\(program.lastPathComponent): \(output)")
    (self.process, compared) = (nil, 0)
  }

  /// Waits for the expected lines, and compares them with what the program prints.
  private mutating func compare() throws {
    guard let process, !expected.isEmpty else { return }
    let text = expected.map { $0 + "\n" }.joined()
    let (start, count, skips) = (compared, expected.count, skips)
    _ = process.waits { output in
      skips
        ? output.hasSuffix(text)
        : output.dropFirst(start).count { $0 == "\n" } >= count
    }
    let printed = process.said.dropFirst(start)
    try #require(skips ? printed.hasSuffix(text) : printed == text, "\(typed) in \(program.path)")
    (compared, expected, self.skips) = (process.said.count, [], false)
  }

  /// Waits until the folder of the screens has the text that was typed last.
  private func waitUntilStored() throws {
    for _ in 0..<6_000 {
      for name in ["state-0", "state-1"] {
        let bytes = try? Data(contentsOf: folder.appending(path: "screens/\(name)"))
        if bytes?.range(of: Data(typed.utf8)) != nil { return }
      }
      usleep(10_000)
    }
    throw Mishap("\(typed) is never stored")
  }
}
