/// An error that ends the program.
enum ToolError: Error, Equatable, CustomStringConvertible {
  /// The arguments are wrong.
  case usage(String)
  /// A file cannot be read, or was written by a newer version.
  case file(String, reason: String)
  /// A file is damaged.
  case damaged(String, reason: String)

  /// The error, as the end of a line.
  var description: String {
    switch self {
    case .usage(let what): "\(what). See lineage-state --help."
    case .file(let name, let reason), .damaged(let name, let reason): "\(name): \(reason)"
    }
  }

  /// The exit status for the error.
  var status: ExitStatus {
    switch self {
    case .usage, .file: .unreadable
    case .damaged: .damaged
    }
  }
}
