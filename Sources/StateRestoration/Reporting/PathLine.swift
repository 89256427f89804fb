/// The identifiers of a path in one line, for messages.
///
/// The line has only the last identifiers of a long path, and only the beginning of a long
/// identifier. Otherwise, a thousand messages about records below a very long path would be too
/// large.
enum PathLine {
  /// The greatest number of identifiers in a line.
  private static let count = 50
  /// The greatest number of Unicode scalars of an identifier in a line.
  private static let length = 100

  /// Returns the line of a path. The path is given from its last identifier to the first one, each
  /// with its number among siblings with the same identifier.
  static func text(_ path: some Sequence<(identifier: String, ordinal: Int)>) -> String {
    var names: [String] = []
    for (identifier, ordinal) in path {
      guard names.count < count else {
        names.append("…")
        break
      }
      let name = identifier.cut(to: length)
      names.append(ordinal > 0 ? "\(name) (\(ordinal + 1))" : name)
    }
    return names.isEmpty ? "the application" : names.reversed().joined(separator: " › ")
  }
}

extension String {
  /// Returns the beginning of the text, followed by "…" if something is missing. The limit is a
  /// number of Unicode scalars.
  package func cut(to limit: Int = 200) -> String {
    guard utf8.count > limit, unicodeScalars.count > limit else { return self }
    return String(unicodeScalars.prefix(limit)) + "…"
  }
}
