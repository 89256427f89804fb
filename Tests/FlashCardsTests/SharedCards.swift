import Foundation
import Testing

/// Programs in terminals that have the same cards. Each has screens of its own, in a folder with its
/// name.
struct SharedCards {
  /// The folder with the cards, and with the screens if they have none of their own.
  let folder: URL
  var screens: URL?

  /// Starts a program.
  func start(_ name: String, _ arguments: String...) throws -> PseudoTerminal {
    let variables = [
      "XDG_DATA_HOME": folder.appending(path: "data").path,
      "XDG_STATE_HOME": state(name).deletingLastPathComponent().path,
    ]
    return try PseudoTerminal(arguments, variables)
  }

  /// Starts the first program, and adds the sample.
  func startWithSample() throws -> PseudoTerminal {
    let terminal = try start("first")
    try terminal.waits(for: "a add a sample")
    try terminal.type("a", until: "6 cards")
    return terminal
  }

  /// Returns the folder with the state of a program.
  func state(_ name: String) -> URL {
    (screens ?? folder).appending(path: name).appending(path: "flashcards")
  }

  /// Ends programs. Checks that they have written nothing but frames.
  func end(_ terminals: PseudoTerminal...) {
    for terminal in terminals {
      #expect(terminal.end(by: SIGTERM) == 0)
      #expect(terminal.screen.mistakes.isEmpty)
      #expect(!String(decoding: terminal.written, as: UTF8.self).contains("Lineage"))
    }
  }
}
