/// The identifiers of a path in one line, for messages.
///
/// The line has only the last identifiers of a long path, and only the beginning of a long
/// identifier. Otherwise, a thousand messages about records below a very long path would be too
/// large.
struct PathLine {
  private var names: [String] = []
  private var isWhole = true

  /// The greatest number of identifiers in a line.
  private static let count = 50
  /// The greatest number of Unicode scalars of an identifier in a line.
  private static let length = 100

  /// Adds an identifier, with its number among siblings with the same identifier if that is not the
  /// first. The identifiers of a path are added from the last to the first.
  ///
  /// - Returns: false if the line is full. The line then lacks this identifier and the identifiers
  ///   nearer to the application.
  mutating func add(_ identifier: String, _ ordinal: Int = 0) -> Bool {
    guard names.count < Self.count else {
      isWhole = false
      return false
    }
    let name = identifier.cut(to: Self.length)
    names.append(ordinal > 0 ? "\(name) (\(ordinal + 1))" : name)
    return true
  }

  /// The line; nil if the path has no identifiers.
  var text: String? {
    guard !names.isEmpty else { return nil }
    let line = names.reversed().joined(separator: " › ")
    return isWhole ? line : "… › \(line)"
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
