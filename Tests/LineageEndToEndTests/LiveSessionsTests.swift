import Foundation
import LineageTestSupport
import Testing

/// Tests of the program that *On a server* shows. It checks its sessions itself.
@Suite("Live sessions on one store", .hangGuard)
struct LiveSessionsTests {
  private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    // The sessions live when the program ends.
    try ChildProcess.run(
      URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "LiveSessions").path, arguments, ["ASAN_OPTIONS": "detect_leaks=0"])
  }

  @Test("All sessions show what each of them saves", arguments: ["memory", "sessions.sqlite"])
  func sessions(_ store: String) throws {
    let folder = try Drawer()
    let place = store == "memory" ? store : folder.file(store).path
    let (status, output) = try run([place, "--sessions", "20", "--edits", "30"])
    #expect(status == 0 && output.hasSuffix("check       20 sessions show the same 160 rows\n"))
    let beginnings = output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
    #expect(beginnings == ["memory", "opening", "an", "many", "check"], "\(output)")
  }

  @Test("Without a store, it says how it is called")
  func usage() throws {
    let (status, output) = try run([])
    #expect(status == 1 && output.hasPrefix("usage: LiveSessions FILE|memory"))
  }

  @Test("It has at most 120 lines without blank and comment lines")
  func length() throws {
    let files = try Sources.files("Sources/LiveSessions", ".swift")
    let code = try files.map(Sources.text).joined().split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("//") }
    #expect(files.count == 2 && code.count <= 120)
  }
}
