public import Foundation

/// A section of a live list.
public struct ListSection: Hashable, Sendable {
  /// What its rows agree in, as text; several keys are joined by commas, nil is empty.
  public let name: String
  /// The positions of its rows.
  public let rows: Range<Int>

  package init(name: String, rows: Range<Int>) { (self.name, self.rows) = (name, rows) }
}

extension LiveList {
  /// The sections, in order; one with an empty name if the list was made without.
  ///
  /// - Complexity: O(*s*) for *s* sections.
  public final var sections: [ListSection] {
    absorb()
    var end = 0
    return rows.sections.all.map { key, count in
      defer { end += count }
      return ListSection(
        name: key.map(\.text).joined(separator: ", "), rows: end..<end + count)
    }
  }

  /// The object at an index path: section, row in the section.
  public final subscript(path: IndexPath) -> Object<Value> { self[position(at: path)] }

  /// The position across sections that an index path means.
  public final func position(at path: IndexPath) -> Int {
    absorb()
    let section = rows.sections.rows(of: path[0])
    precondition(
      path.count == 2 && path[1] >= 0 && path[1] < section.count, "there is no row at \(path)")
    return section.lowerBound + path[1]
  }

  /// The index path of a position across sections.
  public final func indexPath(at position: Int) -> IndexPath {
    absorb()
    precondition(rows.keys.indices.contains(position), "there is no row \(position)")
    return rows.sections.path(of: position)
  }

  /// Where an object is; nil if it is not in the list.
  ///
  /// - Complexity: O(*n*), a scan of ids without a branch for each.
  public final func indexPath(of object: Object<Value>) -> IndexPath? {
    position(of: object).map(indexPath)
  }

  /// Whether there is a row at an index path.
  final func hasRow(at path: IndexPath) -> Bool {
    absorb()
    return path.count == 2 && (0..<rows.sections.count).contains(path[0])
      && (0..<rows.sections.rows(of: path[0]).count).contains(path[1])
  }
}

extension StoredValue {
  /// The value as a section's name shows it.
  fileprivate var text: String {
    switch self {
    case .null: ""
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let text): text
    case .blob(let bytes): bytes.count.of("byte")
    }
  }
}
