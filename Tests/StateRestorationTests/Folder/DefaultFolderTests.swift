import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("The folder of an app by its name")
struct DefaultFolderTests {
  /// Returns the default folder in another process with some changes of its environment. The
  /// changes are arguments of `env`.
  private func folder(_ changes: String...) throws -> String {
    let probe = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageStateProbe")
    let (status, output) = try ChildProcess.run(
      "/usr/bin/env", changes + [probe.path, "place", "flashcards"])
    #expect(status == 0, "\(output)")
    return output.trimmingCharacters(in: .newlines)
  }

  @Test("XDG_STATE_HOME counts if it is an absolute path, and else the home folder does")
  func stateHome() throws {
    #expect(try folder("XDG_STATE_HOME=/var/state", "HOME=/home/anna") == "/var/state/flashcards")
    #expect(try folder("XDG_STATE_HOME=/", "HOME=/home/anna") == "/flashcards")
    let usual = "/home/anna/.local/state/flashcards"
    for value in ["", "state", "./state", "../state", "~/state"] {
      #expect(try folder("XDG_STATE_HOME=\(value)", "HOME=/home/anna") == usual, "\(value)")
    }
    #expect(try folder("-u", "XDG_STATE_HOME", "HOME=/home/anna") == usual)
  }

  @Test("Without a usable HOME, it is the home folder that the system has for the user")
  func home() throws {
    let record = try #require(getpwuid(getuid()))
    let home = String(cString: record.pointee.pw_dir)
    let expected = URL(filePath: home).appending(path: ".local/state/flashcards").path
    #expect(try folder("-u", "XDG_STATE_HOME", "-u", "HOME") == expected)
    for value in ["", "anna", "./anna"] {
      #expect(try folder("-u", "XDG_STATE_HOME", "HOME=\(value)") == expected, "\(value)")
    }
    #expect(try folder("-u", "HOME", "XDG_STATE_HOME=/var/state") == "/var/state/flashcards")
  }
}
