public import Foundation

/// What one operation, or several, did to a list's rows.
///
/// Index paths have two parts: the section, and the row in it. Applied in this order, the changes
/// lead from the old rows exactly to the new ones: take out the `deletions` and those that move, by
/// their old paths; take out `deletedSections`, which are empty then; put in `insertedSections`;
/// put in the `insertions` and those that moved, by their new paths. `apply(to:row:)` does it.
public struct ListChanges: Hashable, Sendable {
  /// A row that is elsewhere now.
  public struct Move: Hashable, Sendable {
    /// Where it was.
    public let from: IndexPath
    /// Where it is.
    public let to: IndexPath

    package init(from: IndexPath, to: IndexPath) { (self.from, self.to) = (from, to) }
  }

  /// Sections that are gone, by their old numbers, ascending.
  public internal(set) var deletedSections: [Int] = []
  /// Sections that are new, by their new numbers, ascending.
  public internal(set) var insertedSections: [Int] = []
  /// Rows that are gone, by their old paths, ascending.
  public internal(set) var deletions: [IndexPath] = []
  /// Rows that are new, by their new paths, ascending.
  public internal(set) var insertions: [IndexPath] = []
  /// Rows that are elsewhere among the others, or in another section, by ascending new paths.
  public internal(set) var moves: [Move] = []
  /// Rows whose object changed, by their new paths, ascending; those that moved too.
  public internal(set) var updates: [IndexPath] = []

  /// Whether the rows are as they were.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
      && deletedSections.isEmpty && insertedSections.isEmpty
  }
}

extension ListChanges {
  /// Brings a copy of the old rows, section by section, up to date.
  ///
  /// ```swift
  /// var texts = list.sections.map { list[$0.rows].map(\.question) }
  /// let following = list.observe { list, changes in
  ///   changes.apply(to: &texts) { list[$0].question }
  /// }
  /// ```
  ///
  /// The closure makes a row for a new path; it is called for insertions and updates.
  ///
  /// - Complexity: O(*n* + *c* log *c*) for *n* rows and *c* changes.
  public func apply<Row>(
    to sections: inout [[Row]], row: (IndexPath) throws -> Row
  ) rethrows {
    let moved = moves.map { ($0.to, sections[$0.from[0]][$0.from[1]]) }
    for (section, items) in Self.bySection(deletions + moves.map(\.from)) {
      sections[section].remove(at: items)
    }
    for section in deletedSections.reversed() { sections.remove(at: section) }
    for section in insertedSections { sections.insert([], at: section) }
    var arriving = Dictionary(moved, uniquingKeysWith: { one, _ in one })
    for path in insertions { arriving[path] = try row(path) }
    for (section, items) in Self.bySection(insertions + moves.map(\.to)) {
      sections[section].insert(at: items) { arriving[[section, $0]] }
    }
    for path in updates { sections[path[0]][path[1]] = try row(path) }
  }

  private static func bySection(_ paths: [IndexPath]) -> [(Int, [Int])] {
    Dictionary(grouping: paths) { $0[0] }.map { ($0, $1.map { $0[1] }.sorted()) }
  }
}

extension Array {
  /// Takes out the elements at ascending positions.
  fileprivate mutating func remove(at positions: [Int]) {
    var next = 0
    self = indices.compactMap { index in
      guard next < positions.count, positions[next] == index else { return self[index] }
      next += 1
      return nil
    }
  }

  /// Puts elements in at what are ascending positions afterwards.
  fileprivate mutating func insert(at positions: [Int], _ element: (Int) -> Element?) {
    var result: [Element] = []
    result.reserveCapacity(count + positions.count)
    var rest = self[...]
    for position in positions {
      let before = rest.prefix(position - result.count)
      result += before
      rest = rest.dropFirst(before.count)
      if let element = element(position) { result.append(element) }
    }
    self = result + rest
  }
}
