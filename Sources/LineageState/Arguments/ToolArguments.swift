/// The arguments of the program.
struct ToolArguments {
  enum Command: Equatable { case verify, show, showSizes, export, reports, help, version }

  /// The location of the state.
  enum StateLocation: Equatable {
    /// The path of a file or a folder.
    case path(String)
    /// The name of an app that has its state folder at the usual location.
    case app(String)
  }

  let command: Command
  let place: StateLocation

  /// Reads the arguments from the command line.
  ///
  /// - Throws: ``ToolError`` if the arguments are wrong.
  init(_ arguments: [String]) throws(ToolError) {
    var words: [String] = []
    var options: Set<String> = []
    var app: String?
    var rest = arguments[...]
    var isLiteral = false
    while let word = rest.popFirst() {
      switch word {
      case _ where isLiteral || !word.hasPrefix("-") || word == "-": words.append(word)
      case "--": isLiteral = true
      case "-h", "--help", "--version", "--sizes", "--json": options.insert(word)
      case "--app":
        guard let name = rest.popFirst() else { throw .usage("--app needs the name of an app") }
        guard Self.isName(name) else { throw .usage("\"\(name)\" is no name of an app") }
        app = name
      default: throw .usage("there is no option \(word)")
      }
    }
    place = try Self.place(words.dropFirst(), app)
    if !options.isDisjoint(with: ["-h", "--help"]) || words == ["help"] {
      command = .help
      return
    }
    if options.contains("--version") {
      command = .version
      return
    }
    command = try Self.command(words.first, options)
    if place == .path("") {
      throw .usage("\(words.first ?? "it") needs a file, a folder, or --app NAME")
    }
  }

  private static func command(
    _ word: String?, _ options: Set<String>
  ) throws(ToolError) -> Command {
    let allowed: Set<String>
    let command: Command
    switch word {
    case "verify": (command, allowed) = (.verify, [])
    case "show":
      (command, allowed) = (options.contains("--sizes") ? .showSizes : .show, ["--sizes"])
    case "export": (command, allowed) = (.export, ["--json"])
    case "reports": (command, allowed) = (.reports, [])
    case let word?: throw .usage("there is no command \(word)")
    case nil: throw .usage("a command is missing")
    }
    if let other = options.subtracting(allowed).sorted().first {
      throw .usage("\(word ?? "") has no option \(other)")
    }
    return command
  }

  private static func place(
    _ words: ArraySlice<String>, _ app: String?
  ) throws(ToolError) -> StateLocation {
    guard words.count + (app == nil ? 0 : 1) <= 1 else {
      throw .usage("there are more places than one: \(words.joined(separator: " "))")
    }
    return app.map { .app($0) } ?? .path(words.first ?? "")
  }

  /// Returns whether a text can be the name of a folder.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text != "." && text != ".." && !text.contains { $0 == "/" || $0 == "\0" }
  }
}
