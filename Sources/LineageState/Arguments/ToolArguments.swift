import Foundation
import StateRestoration

/// The arguments of the program.
struct ToolArguments {
  /// The path of the file or folder to show; nil if the help is wanted.
  private(set) var path: String?
  private(set) var isJSON = false

  /// Reads the arguments from the command line.
  ///
  /// - Throws: ``ToolError`` if the arguments are wrong.
  init(_ arguments: [String]) throws(ToolError) {
    if arguments.contains("-h") || arguments.contains("--help") { return }
    var rest = arguments[...]
    guard rest.popFirst() == "show" else { throw .usage("the only command is show") }
    var paths: [String] = []
    while let word = rest.popFirst() {
      switch word {
      case "--json": isJSON = true
      case "--app":
        guard let name = rest.popFirst(), !["", ".", ".."].contains(name), !name.contains("/"),
          !name.contains("\0")
        else { throw .usage("--app needs the name of an app") }
        paths.append(StateFolder.state(of: name).url.path(percentEncoded: false))
      case _ where word.hasPrefix("-"): throw .usage("there is no option \(word)")
      default: paths.append(word)
      }
    }
    guard paths.count == 1 else { throw .usage("show needs one file, one folder, or --app NAME") }
    path = paths[0]
  }

  /// The text of `--help`.
  static let help = """
    Shows the state that an app has saved with Lineage. Needs no code of the app, and writes nothing.

    usage: lineage-state show [--json] (FILE | FOLDER | --app NAME)

      --app NAME   the folder of an app: $XDG_STATE_HOME/NAME, or ~/.local/state/NAME
      --json       prints whole values, as JSON with one record in each line

    Of a folder, all files are checked, and the tree is that of the file that the next launch would
    use. Each line begins with a number of bytes. This version reads format \(ArchiveInspection.format).

    exit status: 0 if all is good, 1 if something is damaged, 2 if something cannot be used at all
    """
}

/// The reason why the program shows nothing, as the end of a line.
struct ToolError: Error {
  let reason: String

  fileprivate static func usage(_ what: String) -> ToolError {
    ToolError(reason: "\(what). See lineage-state --help.")
  }
}
