import StateRestoration

extension ArchiveInspection {
  /// The greatest number of identifiers of a path that are shown.
  private static var shownSteps: Int { 12 }

  /// Returns the path of a node's record. Only the end of a long path is returned.
  func pathText(_ index: Int) -> String {
    guard nodes[index].parent != nil else { return "the application" }
    var names: [String] = []
    var next = index
    while let parent = nodes[next].parent, names.count < Self.shownSteps {
      names.append(name(next, limit: 80))
      next = parent
    }
    let hidden = nodes[next].depth
    let beginning = hidden > 0 ? "… (\(NumberText.text(hidden)) above) › " : ""
    return beginning + names.reversed().joined(separator: " › ")
  }

  /// Returns the identifier in a node's record, with its number among siblings that have the same
  /// identifier.
  func name(_ index: Int, limit: Int = 200) -> String {
    guard let identifier = identifier(index, limit: limit) else {
      return "record \(nodes[index].id)"
    }
    let name = identifier.isEmpty ? "\"\"" : identifier
    let ordinal = nodes[index].ordinal
    return ordinal > 0 ? "\(name) (\(ordinal + 1))" : name
  }
}

/// The lines that draw a tree as text. They lead from each record to the records below it.
struct TreeLines {
  /// The text before the values of a record, in one part for each level.
  private var parts: [String] = []

  /// The number of levels that are drawn. Deeper records are indented no further.
  static let levels = 32

  /// Begins the lines of a record.
  ///
  /// - Returns: the text before the record's name.
  mutating func begin(depth: Int, isLast: Bool, hasBelow: Bool) -> String {
    guard depth > 0 else {
      parts = [hasBelow ? "│ " : "  "]
      return ""
    }
    let level = min(depth, Self.levels)
    parts.removeLast(parts.count - level)
    parts[level - 1] = isLast ? "└ " : "├ "
    let text = parts.joined() + (depth > level ? "(\(NumberText.text(depth)) deep) " : "")
    parts[level - 1] = isLast ? "  " : "│ "
    parts.append(hasBelow ? "│ " : "  ")
    return text
  }

  /// The text before each value of the record.
  var beforeValue: String { parts.joined() + "  " }
}
