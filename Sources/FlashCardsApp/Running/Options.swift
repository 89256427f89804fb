import Foundation
import Lineage

/// The arguments and the folders of the program.
package struct Options {
  private(set) var isFresh = false
  private(set) var slowStore = 0.0
  /// Whether the terminal gets plain lines, for somebody who hears them.
  private(set) var isPlain = ["", "dumb"].contains(
    ProcessInfo.processInfo.environment["TERM"] ?? "")
  /// The file to which the frames are appended.
  private(set) var recording: URL?
  /// The files of a movie, which is made instead of running the program.
  private(set) var movie: [URL]?
  /// The address of a server that has the cards; nil if they are in a file.
  private(set) var server: String?
  private var script: String?
  private var folder: URL?

  /// The options that have a value.
  static let valued = ["--data", "--store", "--slow-store", "--script", "--record", "--svg"]

  static let help = """
    usage: flashcards [--fresh] [--data FOLDER] [--slow-store SECONDS] [--plain]
                      [--script FILE | --record FILE | --svg FILE ...]

      --fresh               forgets the screens and texts of the last time, but no cards
      --data FOLDER         keeps cards and screens in this folder
      --store ADDRESS       keeps the cards on a PostgreSQL server: postgresql://user@host/database (with the trait Postgres)
      --slow-store SECONDS  opens the cards later, to show that nothing waits for them
      --script FILE         presses the keys in a file or a pipe, and prints frames as text; a line
                            is: down down enter … | type TEXT | paste TEXT | resize 60 20 | frame
      --plain               prints what has changed in plain lines, for screen readers
      --record FILE         appends all that the terminal shows to a file
      --svg FILE ...        prints a moving picture of what such files have recorded

    Without --data, cards are in $XDG_DATA_HOME/flashcards, screens in $XDG_STATE_HOME/flashcards.
    """

  package init(_ arguments: some Sequence<String>) throws(Mistake) {
    var rest = Array(arguments)[...]
    while let option = rest.popFirst() {
      let value = Self.valued.contains(option) ? rest.popFirst() : nil
      switch (option, value) {
      case ("--help", _):
        print(Self.help)
        exit(0)
      case ("--fresh", _): isFresh = true
      case ("--plain", _): isPlain = true
      case ("--data", let path?): folder = URL(filePath: path, directoryHint: .isDirectory)
      case ("--script", let path?): script = path
      #if Postgres
      case ("--store", let address?): server = address
      #endif
      case ("--record", let path?): recording = URL(filePath: path)
      case ("--svg", let path?):
        movie = ([path] + rest).map { URL(filePath: $0) }
        rest = []
      case ("--slow-store", let text?):
        guard let seconds = Double(text), (0...3600).contains(seconds) else { fallthrough }
        slowStore = seconds
      default: throw Mistake(description: "no argument, see --help: \(option) \(value ?? "")")
      }
    }
  }

  /// Returns the text of the script; nil if there is a terminal to type in and to draw on.
  func readScript() throws(Mistake) -> String? {
    if script == nil, isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 { return nil }
    let file = script.map(FileHandle.init(forReadingAtPath:)) ?? .standardInput
    guard let file, let keys = try? file.readToEnd() ?? Data() else {
      throw Mistake(description: "\(script ?? "standard input") cannot be read")
    }
    return String(decoding: keys, as: UTF8.self)
  }

  /// The file with the decks and cards.
  var cards: URL { folder?.appending(path: "cards.sqlite") ?? .data(of: "flashcards") }

  /// The file for the page of the inspector.
  var page: URL { cards.deletingLastPathComponent().appending(path: "tree.html") }

  /// The folder with the screens of the last launch.
  var state: StateFolder {
    folder.map { .at($0.appending(path: "screens")) } ?? .state(of: "flashcards")
  }
}
