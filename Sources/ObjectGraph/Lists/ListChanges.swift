public import Foundation

/// The changes of a list's rows by one or more operations.
///
/// An index path has two parts: the section, and the row in that section. If the changes are
/// applied in the following order, the old rows become exactly the new rows:
///
/// 1. Remove the rows of `deletions` and the rows that move, at their old paths.
/// 2. Remove `deletedSections`, which are empty by then.
/// 3. Insert `insertedSections`.
/// 4. Insert the rows of `insertions` and the rows that moved, at their new paths.
///
/// ``apply(to:row:)`` does all these steps, and then replaces the rows of `updates`.
public struct ListChanges: Hashable, Sendable {
  /// A row that has moved to another place.
  public struct Move: Hashable, Sendable {
    /// The old index path.
    public let from: IndexPath
    /// The new index path.
    public let to: IndexPath

    package init(from: IndexPath, to: IndexPath) { (self.from, self.to) = (from, to) }
  }

  /// The old indices of the sections that were removed, ascending.
  public internal(set) var deletedSections: [Int] = []
  /// The new indices of the sections that were added, ascending.
  public internal(set) var insertedSections: [Int] = []
  /// The old paths of the rows that were removed, ascending.
  public internal(set) var deletions: [IndexPath] = []
  /// The new paths of the rows that were added, ascending.
  public internal(set) var insertions: [IndexPath] = []
  /// The rows that have moved relative to other rows or to another section, in the order of their
  /// new paths.
  public internal(set) var moves: [Move] = []
  /// The new paths of the rows whose object changed, ascending. Rows that also moved are included.
  public internal(set) var updates: [IndexPath] = []

  /// Whether no row and no section changed.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
      && deletedSections.isEmpty && insertedSections.isEmpty
  }
}

extension ListChanges {
  /// Applies the changes to `sections`, which must contain the old rows, with an array for each
  /// section.
  ///
  /// ```swift
  /// var texts = list.sections.map { list[$0.rows].map(\.question) }
  /// let following = list.observe { list, changes in
  ///   changes.apply(to: &texts) { list[$0].question }
  /// }
  /// ```
  ///
  /// The closure returns the row at a new path. It is called for insertions and updates.
  ///
  /// - Complexity: O(*n* + *c* log *c* + *d* · *s*) for *n* rows, *c* changes of rows, and *d*
  ///   deleted or inserted sections among *s* sections.
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
  /// Removes the elements at the given positions, which are ascending.
  fileprivate mutating func remove(at positions: [Int]) {
    var next = 0
    self = indices.compactMap { index in
      guard next < positions.count, positions[next] == index else { return self[index] }
      next += 1
      return nil
    }
  }

  /// Inserts elements so that they have the given positions afterwards. The positions are
  /// ascending.
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
