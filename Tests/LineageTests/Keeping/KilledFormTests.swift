import Foundation
import LineageTestSupport
import Testing

@Suite("A form that is killed at each call of its save", .hangGuard)
struct KilledFormTests {
  private static var program: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageStoreProbe").path
  }

  /// Edits in one process after another, each of which is killed, and then looks. Returns the lines of
  /// all processes.
  private func lines(_ numbers: [String]...) throws -> [[String]] {
    let drawer = try Drawer()
    return try (numbers + [[]]).map { numbers in
      try ChildProcess.run(Self.program, ["editing", drawer.url.path] + numbers).output
        .split(separator: "\n").map(String.init)
    }
  }

  /// Checks that the last process has found the edit if it was archived, and that all of it, or
  /// nothing, is in the store now.
  private func check(_ lines: [[String]], _ about: String) {
    let (edit, look) = (lines[lines.count - 2], lines[lines.count - 1])
    let (without, with) = ("right 0, new 0", "right 1, new 1")
    let isArchived = edit.contains("archived")
    let found = look.first?.replacing("found ", with: "")
    #expect(found == with || !isArchived && found == without, "\(about): \(lines)")
    #expect(look.last == found.map { "stored \($0)" }, "\(about): \(lines)")
  }

  @Test("Nothing is lost, done twice, or in conflict with itself")
  func everyCall() throws {
    var ends = 0
    for call in 1...400 {
      let lines = try lines(["\(call)", "0"])
      check(lines, "call \(call)")
      guard lines[0].last?.hasPrefix("stored") != true else {
        ends = call
        break
      }
    }
    // There were calls of the launch, of both saves, and none after them.
    #expect(ends > 10)
  }

  @Test("Before and after the commit", arguments: ["1", "2"])
  func commits(place: String) throws {
    check(try lines(["0", place]), "place \(place)")
  }
}
