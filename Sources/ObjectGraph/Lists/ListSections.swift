/// The sections of a list's rows: rows that agree in the keys that lead the order.
///
/// A list without such keys has one section, even if it has no rows.
struct ListSections {
  /// For each key whether it descends; none, if there is one section only.
  let directions: [Bool]
  /// What the rows of each section agree in, in the list's order.
  private(set) var keys: [[Stored]] = []
  /// Where each section ends, and the next begins.
  private(set) var ends: [Int] = []

  init(directions: [Bool]) {
    self.directions = directions
    if directions.isEmpty { (keys, ends) = ([[]], [0]) }
  }

  var isSingle: Bool { directions.isEmpty }
  var count: Int { keys.count }

  func rows(of section: Int) -> Range<Int> {
    (section == 0 ? 0 : ends[section - 1])..<ends[section]
  }

  /// The section that has a row.
  func section(of row: Int) -> Int {
    isSingle ? 0 : ends.partitioningIndex { $0 > row }
  }

  /// Negative if the first key comes first, zero if they are of one section, else positive.
  func order(_ one: [Stored], _ other: [Stored]) -> Int {
    for ((one, other), isDescending) in zip(zip(one, other), directions) {
      let order = Stored.order(one, other)
      if order != 0 { return isDescending ? -order : order }
    }
    return 0
  }

  /// Starts over with as many rows as keys, each with its section's key.
  mutating func fill(_ rowKeys: [[Stored]]) {
    (keys, ends) = ([], [])
    for (row, key) in rowKeys.enumerated() {
      if let last = keys.last, order(last, key) == 0 {
        ends[ends.count - 1] = row + 1
      } else {
        keys.append(key)
        ends.append(row + 1)
      }
    }
  }

  /// Starts over with rows of one section.
  mutating func fill(count: Int) { ends = [count] }

  /// Takes rows out, and puts others in, by their keys.
  mutating func change(removing rows: [Int], inserting rowKeys: [[Stored]], count inserted: Int) {
    guard !isSingle else {
      ends[0] += inserted - rows.count
      return
    }
    var counts = ends.indices.map { self.rows(of: $0).count }
    for row in rows { counts[section(of: row)] -= 1 }
    for key in rowKeys {
      let section = keys.partitioningIndex { order($0, key) >= 0 }
      if section < keys.count, order(keys[section], key) == 0 {
        counts[section] += 1
      } else {
        keys.insert(key, at: section)
        counts.insert(1, at: section)
      }
    }
    let left = counts.indices.filter { counts[$0] > 0 }
    if left.count < keys.count {
      keys = left.map { keys[$0] }
      counts = left.map { counts[$0] }
    }
    var end = 0
    ends = counts.map { count in
      end += count
      return end
    }
  }

  /// For each section the one with the same key in another list of sections, if there is one.
  func places(in other: ListSections) -> [Int?] {
    guard !isSingle else { return [0] }
    var next = 0
    return keys.map { key in
      while next < other.count, order(other.keys[next], key) < 0 { next += 1 }
      return next < other.count && order(other.keys[next], key) == 0 ? next : nil
    }
  }
}
