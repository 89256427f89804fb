public import Foundation

/// A section of a live list.
public struct ListSection: Hashable, Sendable {
  /// The texts of the section's key values, joined by commas. The text of nil is empty.
  ///
  /// If a key is `folded` or `natural`, its text is the value of the section's first row. So a
  /// section with the names `Ada` and `ADA`, in this order, has the name `Ada`.
  public let name: String
  /// The positions of the section's rows.
  public let rows: Range<Int>

  package init(name: String, rows: Range<Int>) { (self.name, self.rows) = (name, rows) }
}

extension LiveList {
  /// The sections, in order. A list that was created without section keys has one section with an
  /// empty name.
  ///
  /// - Complexity: O(*s*) for *s* sections. If a section key is `folded` or `natural` and belongs to
  ///   a related object, the object of each section's first row is looked up.
  public final var sections: [ListSection] {
    absorb()
    var end = 0
    return rows.sections.all.map { key, count in
      defer { end += count }
      return ListSection(
        name: values(of: key, at: end).map(\.text).joined(separator: ", "), rows: end..<end + count)
    }
  }

  /// Returns the values in the name of a section, which begins at the given row. A key text is
  /// replaced by the row's value, or stays as it is if that value cannot be read.
  private func values(of key: [StoredValue], at start: Int) -> [StoredValue] {
    zip(key, sectionKeys).map { value, sectionKey in
      guard sectionKey.textOrder != nil else { return value }
      let row = ContextRow(rows.objects[start], in: context)
      return context.readingToEnd { try? row.stored(at: sectionKey.place) } ?? value
    }
  }

  /// The object at an index path, which consists of a section and of a row in this section.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public final subscript(path: IndexPath) -> Object<Value> { self[position(at: path)] }

  /// Returns the position of the row at an index path. Positions are counted across all sections.
  ///
  /// - Precondition: The list has a row at the path.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public final func position(at path: IndexPath) -> Int {
    absorb()
    let section = rows.sections.rows(of: path[0])
    precondition(
      path.count == 2 && path[1] >= 0 && path[1] < section.count, "there is no row at \(path)")
    return section.lowerBound + path[1]
  }

  /// Returns the index path of the row at a position. Positions are counted across all sections.
  ///
  /// - Precondition: The list has a row at the position.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public final func indexPath(at position: Int) -> IndexPath {
    absorb()
    precondition(rows.keys.indices.contains(position), "there is no row \(position)")
    return rows.sections.path(of: position)
  }

  /// Returns the index path of an object; nil if the list does not contain it.
  ///
  /// - Complexity: O(*n*) for a scan of *n* ids.
  public final func indexPath(of object: Object<Value>) -> IndexPath? {
    position(of: object).map(indexPath)
  }

  /// Returns whether there is a row at an index path.
  final func hasRow(at path: IndexPath) -> Bool {
    absorb()
    return path.count == 2 && (0..<rows.sections.count).contains(path[0])
      && (0..<rows.sections.rows(of: path[0]).count).contains(path[1])
  }
}

extension StoredValue {
  /// The value as a text for the name of a section.
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
