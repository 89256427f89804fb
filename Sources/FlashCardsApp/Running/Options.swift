import Foundation
import Lineage

/// The arguments and the folders of the program.
struct Options {
  private(set) var wantsHelp = false
  private(set) var isFresh = false
  private(set) var slowStore = 0.0
  /// The file with the keys to press; nil for those of the terminal.
  private(set) var script: String?
  private var folder: URL?

  static let help = """
    Flash cards in the terminal: decks, cards, study, search.

    usage: flashcards [--fresh] [--data FOLDER] [--slow-store SECONDS] [--script FILE]

      --fresh               forgets the screens and texts of the last time, but no cards
      --data FOLDER         keeps cards and screens in this folder
      --slow-store SECONDS  opens the cards later, to show that the program does not wait for them
      --script FILE         presses the keys in a file, and prints frames as text; keys that come
                            from a pipe are taken like such a file

    The cards are in $XDG_DATA_HOME/flashcards, by default ~/.local/share/flashcards, and the
    screens in $XDG_STATE_HOME/flashcards, by default ~/.local/state/flashcards.
    """

  /// A mistake in the arguments, or in a script.
  struct Mistake: Error { let problem: String }

  init(_ arguments: some Sequence<String>) throws(Mistake) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--help", "-h": wantsHelp = true
      case "--fresh": isFresh = true
      case "--data", "--script", "--slow-store":
        guard let value = rest.next(), !value.isEmpty else {
          throw Mistake(problem: "\(argument) needs a value")
        }
        if argument == "--data" { folder = URL(filePath: value, directoryHint: .isDirectory) }
        if argument == "--script" { script = value }
        guard argument == "--slow-store" else { continue }
        guard let seconds = Double(value), (0...3600).contains(seconds) else {
          throw Mistake(problem: "--slow-store needs seconds from 0 to 3600, not \(value)")
        }
        slowStore = seconds
      default: throw Mistake(problem: "there is no argument \(argument)")
      }
    }
  }

  /// Returns the script to run; nil if a terminal is there to type in.
  func readScript() throws -> String? {
    if let script { return try String(contentsOf: URL(filePath: script), encoding: .utf8) }
    guard isatty(STDIN_FILENO) == 0 else { return nil }
    return String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
  }

  /// The file with the decks and cards.
  var cards: URL {
    (folder ?? Self.dataFolder).appending(path: "cards.sqlite", directoryHint: .notDirectory)
  }

  /// The folder with the screens of the last launch.
  var state: StateFolder {
    folder.map { .at($0.appending(path: "screens")) } ?? .state(of: "flashcards")
  }

  private static var dataFolder: URL {
    if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
      return URL(filePath: path, directoryHint: .isDirectory).appending(path: "flashcards")
    }
    return .homeDirectory.appending(path: ".local/share/flashcards")
  }
}
