/// The sections of a list's rows. Rows with the same values of the section keys form a section. The
/// list is ordered by the section keys first.
///
/// A list without section keys has one section, even if it has no rows. Copying a `ListSections`
/// costs O(1), because the copy shares the tree.
struct ListSections {
  /// The keys that divide rows into sections; empty if the list was created without section keys.
  let keys: [SortKey]
  private var tree: SectionTree?
  /// The number of rows of a list without section keys. It stays zero for a list with section keys,
  /// because the tree has its rows.
  private var singleCount = 0
  private let visits: ListVisits

  /// The index of a section, and the positions of its rows.
  struct SectionPlace: Equatable {
    let section: Int
    let rows: Range<Int>
  }

  init(keys: [SortKey], _ visits: ListVisits) {
    (self.keys, self.visits) = (keys, visits)
  }

  var isSingle: Bool { keys.isEmpty }
  var count: Int { isSingle ? 1 : tree?.sectionCount ?? 0 }
  var rowCount: Int { isSingle ? singleCount : tree?.rowCount ?? 0 }

  /// A copy with the same keys and no sections.
  var emptied: Self { Self(keys: keys, visits) }

  /// The key and the number of rows of each section, in the order of the sections.
  var all: [(key: [StoredValue], rows: Int)] {
    guard !isSingle else { return [([], singleCount)] }
    var all: [(key: [StoredValue], rows: Int)] = []
    tree?.forEach { all.append(($0.key, $0.rows)) }
    return all
  }

  func rows(of section: Int) -> Range<Int> {
    guard !isSingle else { return 0..<singleCount }
    var (node, index, start) = (tree, section, 0)
    while let current = node {
      visits.count += 1
      let before = current.before?.sectionCount ?? 0
      let rowsBefore = start + (current.before?.rowCount ?? 0)
      if index < before {
        node = current.before
      } else if index == before {
        return rowsBefore..<rowsBefore + current.rows
      } else {
        (node, index, start) = (current.after, index - before - 1, rowsBefore + current.rows)
      }
    }
    preconditionFailure("there is no section \(section)")
  }

  /// Returns the index, rows and key of the section that contains a row.
  func place(of row: Int) -> (place: SectionPlace, key: [StoredValue]) {
    guard !isSingle else { return (SectionPlace(section: 0, rows: 0..<singleCount), []) }
    var (node, section, start) = (tree, 0, 0)
    while let current = node {
      visits.count += 1
      let rowsBefore = start + (current.before?.rowCount ?? 0)
      let sectionsBefore = section + (current.before?.sectionCount ?? 0)
      if row < rowsBefore {
        node = current.before
      } else if row < rowsBefore + current.rows {
        return (
          SectionPlace(section: sectionsBefore, rows: rowsBefore..<rowsBefore + current.rows),
          current.key
        )
      } else {
        (node, section, start) = (current.after, sectionsBefore + 1, rowsBefore + current.rows)
      }
    }
    preconditionFailure("there is no row \(row)")
  }

  /// Returns whether a row of these sections and a row of other sections have the same section key.
  func hasAlike(_ row: Int, and other: Int, of others: ListSections) -> Bool {
    isSingle || order(place(of: row).key, others.place(of: other).key) == 0
  }

  /// Returns whether there is a section with the key.
  func has(_ key: [StoredValue]) -> Bool {
    var node = tree
    while let current = node {
      visits.count += 1
      let place = order(key, current.key)
      if place == 0 { return true }
      node = place < 0 ? current.before : current.after
    }
    return isSingle
  }

  /// Returns a negative number if the first key comes first, zero if both are of the same section,
  /// else a positive number.
  func order(_ one: [StoredValue], _ other: [StoredValue]) -> Int {
    for ((one, other), key) in zip(zip(one, other), keys) {
      let order = key.order(one, other)
      if order != 0 { return order }
    }
    return 0
  }

  /// Replaces all sections. `rowKeys` has the section key of each row, in order.
  mutating func fill(_ rowKeys: [[StoredValue]]) {
    var sections: [(key: [StoredValue], rows: Int)] = []
    for key in rowKeys {
      if let last = sections.last, order(last.key, key) == 0 {
        sections[sections.count - 1].rows += 1
      } else {
        sections.append((key, 1))
      }
    }
    visits.count += rowKeys.count
    tree = .make(sections[...])
  }

  /// Sets the number of rows of the only section.
  mutating func fill(count: Int) { singleCount = count }

  /// Updates the sections after rows at the given old positions were removed, and rows with the
  /// given section keys were inserted. Both arrays must be in the order of the list.
  ///
  /// - Complexity: O(log *s*) for each section that gets or loses rows.
  mutating func change(
    removing rows: [Int], inserting rowKeys: [[StoredValue]], count inserted: Int
  ) {
    guard !isSingle else {
      singleCount += inserted - rows.count
      return
    }
    let lost = runs(rows.map { place(of: $0).key }, change: -1)
    let gained = runs(rowKeys, change: 1)
    for (key, count) in merged(lost, gained) where count != 0 {
      tree = SectionTree.adding(count, at: key, to: tree, visits, order)
    }
  }

  /// Returns an element for each run of equal keys: the key, and `change` times the length of the
  /// run.
  private func runs(_ keys: [[StoredValue]], change: Int) -> [(key: [StoredValue], count: Int)] {
    var runs: [(key: [StoredValue], count: Int)] = []
    for key in keys {
      if let last = runs.last, order(last.key, key) == 0 {
        runs[runs.count - 1].count += change
      } else {
        runs.append((key, change))
      }
    }
    return runs
  }

  /// Returns the changes of both arrays in one array. All three arrays are ascending by key.
  /// Changes of the same key are added up.
  private func merged(
    _ one: [(key: [StoredValue], count: Int)], _ other: [(key: [StoredValue], count: Int)]
  ) -> [(key: [StoredValue], count: Int)] {
    var (rest, merged) = (other[...], [(key: [StoredValue], count: Int)]())
    for change in one {
      while let next = rest.first, order(next.key, change.key) < 0 {
        merged.append(next)
        rest.removeFirst()
      }
      if let next = rest.first, order(next.key, change.key) == 0 {
        merged.append((change.key, change.count + next.count))
        rest.removeFirst()
      } else {
        merged.append(change)
      }
    }
    return merged + rest
  }

  /// Returns whether no section is empty, and the keys are in ascending order.
  func checkInvariants() -> Bool {
    let all = all
    return isSingle
      || tree?.checkInvariants() ?? true
        && zip(all, all.dropFirst()).allSatisfy { order($0.key, $1.key) < 0 }
  }
}
