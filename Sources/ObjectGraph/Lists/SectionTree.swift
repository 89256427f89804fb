/// A node of a balanced, immutable tree of sections. It has one section, a tree of the sections
/// before it, and a tree of the sections after it.
///
/// A change creates new nodes only on the path to the changed section, and shares all other nodes.
/// So a list can keep its old sections without a copy.
final class SectionTree {
  /// The values of the section keys, which all rows of the section have.
  let key: [StoredValue]
  /// The number of the section's rows.
  let rows: Int
  let before: SectionTree?
  let after: SectionTree?
  /// The number of sections in this tree.
  let sectionCount: Int
  /// The number of rows in this tree.
  let rowCount: Int

  init(_ before: SectionTree?, _ key: [StoredValue], _ rows: Int, _ after: SectionTree?) {
    (self.before, self.key, self.rows, self.after) = (before, key, rows, after)
    sectionCount = (before?.sectionCount ?? 0) + 1 + (after?.sectionCount ?? 0)
    rowCount = (before?.rowCount ?? 0) + rows + (after?.rowCount ?? 0)
  }

  /// Returns a balanced tree of sections, which are given in order; nil if there are none.
  static func make(_ sections: ArraySlice<(key: [StoredValue], rows: Int)>) -> SectionTree? {
    guard !sections.isEmpty else { return nil }
    let middle = sections.startIndex + sections.count / 2
    return SectionTree(
      make(sections[..<middle]), sections[middle].key, sections[middle].rows,
      make(sections[(middle + 1)...]))
  }
}

extension SectionTree {
  /// Returns a balanced tree of the given parts. The parts must come from a balanced tree in which
  /// at most one section was added or removed.
  private static func balanced(
    _ before: SectionTree?, _ key: [StoredValue], _ rows: Int, _ after: SectionTree?
  ) -> SectionTree {
    if let after, weight(after) > 3 * weight(before) {
      if let middle = after.before, weight(middle) >= 2 * weight(after.after) {
        return SectionTree(
          SectionTree(before, key, rows, middle.before), middle.key, middle.rows,
          SectionTree(middle.after, after.key, after.rows, after.after))
      }
      return SectionTree(
        SectionTree(before, key, rows, after.before), after.key, after.rows, after.after)
    }
    if let before, weight(before) > 3 * weight(after) {
      if let middle = before.after, weight(middle) >= 2 * weight(before.before) {
        return SectionTree(
          SectionTree(before.before, before.key, before.rows, middle.before), middle.key,
          middle.rows, SectionTree(middle.after, key, rows, after))
      }
      return SectionTree(
        before.before, before.key, before.rows, SectionTree(before.after, key, rows, after))
    }
    return SectionTree(before, key, rows, after)
  }

  private static func weight(_ tree: SectionTree?) -> Int { (tree?.sectionCount ?? 0) + 1 }

  /// Returns a tree with `count` more rows in the section of a key; fewer if `count` is negative. A
  /// section that does not exist is added, and a section without rows is removed.
  static func adding(
    _ count: Int, at key: [StoredValue], to tree: SectionTree?, _ visits: ListVisits,
    _ order: ([StoredValue], [StoredValue]) -> Int
  ) -> SectionTree? {
    visits.count += 1
    guard let tree else { return SectionTree(nil, key, count, nil) }
    let place = order(key, tree.key)
    if place < 0 {
      return balanced(
        adding(count, at: key, to: tree.before, visits, order), tree.key, tree.rows, tree.after)
    }
    if place > 0 {
      return balanced(
        tree.before, tree.key, tree.rows, adding(count, at: key, to: tree.after, visits, order))
    }
    guard tree.rows + count > 0 else { return joined(tree.before, tree.after, visits) }
    return SectionTree(tree.before, tree.key, tree.rows + count, tree.after)
  }

  private static func joined(
    _ before: SectionTree?, _ after: SectionTree?, _ visits: ListVisits
  ) -> SectionTree? {
    guard let before else { return after }
    guard let after else { return before }
    let first = after.first(visits)
    return balanced(before, first.key, first.rows, after.withoutFirst(visits))
  }

  private func first(_ visits: ListVisits) -> SectionTree {
    visits.count += 1
    return before?.first(visits) ?? self
  }

  private func withoutFirst(_ visits: ListVisits) -> SectionTree? {
    visits.count += 1
    guard let before else { return after }
    return Self.balanced(before.withoutFirst(visits), key, rows, after)
  }

  /// Calls a closure with each section, in order.
  func forEach(_ body: (SectionTree) -> Void) {
    before?.forEach(body)
    body(self)
    after?.forEach(body)
  }

  /// Returns whether the counts are right, both sides are balanced, and no section is empty.
  func checkInvariants() -> Bool {
    let (before, after) = (Self.weight(before), Self.weight(after))
    return rows > 0 && before <= 3 * after && after <= 3 * before
      && sectionCount == before + after - 1
      && rowCount == (self.before?.rowCount ?? 0) + rows + (self.after?.rowCount ?? 0)
      && self.before?.checkInvariants() ?? true && self.after?.checkInvariants() ?? true
  }
}

/// A counter of the rows, sections and recorded changes that a list has visited to apply changes.
///
/// Tests check this number. The scan of ids for a changed row is not counted.
final class ListVisits {
  var count = 0
}
