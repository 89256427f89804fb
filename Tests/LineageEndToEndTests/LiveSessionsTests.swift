import Foundation
import LineageTestSupport
import Testing

/// Tests of the program that *On a server* shows. It checks its sessions itself.
@Suite("Live sessions on one store", .hangGuard)
struct LiveSessionsTests {
  private static let program = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(path: "LiveSessions").path
  /// The sessions live when the program ends.
  private static let variables = ["ASAN_OPTIONS": "detect_leaks=0"]

  private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    try ChildProcess.run(Self.program, arguments, Self.variables)
  }

  @Test("All sessions show what each of them saves", arguments: ["memory", "sessions.sqlite"])
  func sessions(_ store: String) throws {
    let folder = try Drawer()
    let place = store == "memory" ? store : folder.file(store).path
    let (status, output) = try run([place, "--sessions", "20", "--edits", "30"])
    #expect(status == 0 && output.contains("check       20 sessions show the same 160 rows\n"))
    let beginnings = output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
    #expect(beginnings == ["memory", "opening", "an", "many", "check", "the"], "\(output)")
  }

  @Test("Sessions of several programs vote on one store, and no vote is lost")
  func votes() throws {
    let folder = try Drawer()
    let arguments = [folder.file("votes.sqlite").path, "--sessions", "5", "--votes", "20"]
    let programs = try (0..<3).map { _ in
      try ChildProcess(Self.program, arguments, Self.variables)
    }
    let ends = programs.map { ($0.end(), $0.wait()) }
    #expect(ends.allSatisfy { $0.1 == 0 }, "\(ends)")
    #expect(
      ends.contains { $0.0.contains("votes       20 of this program, 60 in all\n") }, "\(ends)")
  }

  @Test("Without a store, it says how it is called")
  func usage() throws {
    let (status, output) = try run([])
    #expect(status == 1 && output.hasPrefix("usage: LiveSessions FILE|memory|postgresql"))
  }

  @Test("It has at most 220 lines without blank and comment lines")
  func length() throws {
    let files = try Sources.files("Sources/LiveSessions", ".swift")
    let code = try files.map(Sources.text).joined().split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("//") }
    #expect(files.count == 2 && code.count <= 220)
  }
}
