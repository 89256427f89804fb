/// A change of a list that removes rows and then inserts rows.
///
/// A row whose object changed is removed and inserted again, perhaps at its old position.
struct ListSplice<Value: Entity> {
  /// The positions of the removed rows.
  var removed: PositionSet
  /// The ids of the removed rows.
  var removedKeys: [Int64]
  /// The objects of the inserted rows, in the order of the rows.
  var added: [Object<Value>]
  /// The positions of the inserted rows after the change.
  var places: PositionSet
  /// The section key of each inserted row; empty if the list has no section keys.
  var sectionKeys: [[StoredValue]]
  /// The ids of objects that changed, even if they are not in the list.
  var changed: Set<Int64>
}

extension ListSplice {
  /// Creates the splice that turns the old rows, given by their ids, into the new rows. It keeps
  /// the longest sequence of rows whose order is unchanged, except rows that have changed or are in
  /// another section.
  init(
    from old: [Int64], in oldSections: ListSections, to new: ListRows<Value>, changed: Set<Int64>
  ) {
    let held = Self.held(from: old, in: oldSections, to: new, changed: changed)
    var isHeld = [Bool](repeating: false, count: old.count)
    var places: [Int] = []
    for (position, oldPosition) in held.enumerated() {
      if let oldPosition { isHeld[oldPosition] = true } else { places.append(position) }
    }
    let removed = isHeld.indices.filter { !isHeld[$0] }
    self.init(
      removed: PositionSet(removed), removedKeys: removed.map { old[$0] },
      added: places.map { new.objects[$0] }, places: PositionSet(places), sectionKeys: [],
      changed: changed)
  }

  /// Returns the old position of each new row; nil for each row that the splice inserts.
  private static func held(
    from old: [Int64], in oldSections: ListSections, to new: ListRows<Value>, changed: Set<Int64>
  ) -> [Int?] {
    let (prefix, suffix) = common(old, new.keys)
    let middle = prefix..<(new.count - suffix)
    var positions: [Int64: Int] = [:]
    for position in prefix..<(old.count - suffix) { positions[old[position]] = position }
    let known = middle.filter { positions[new.keys[$0]] != nil }
    let sources = known.compactMap { positions[new.keys[$0]] }
    var held = [Int?](repeating: nil, count: new.count)
    for position in 0..<prefix { held[position] = position }
    for position in middle.upperBound..<new.count {
      held[position] = position - new.count + old.count
    }
    for ((position, source), stays) in zip(zip(known, sources), sources.longestRun) where stays {
      held[position] = source
    }
    for case (let position, let source?) in held.enumerated() {
      if changed.contains(new.keys[position])
        || !oldSections.hasAlike(source, and: position, of: new.sections)
      {
        held[position] = nil
      }
    }
    return held
  }

  /// Returns the number of equal ids at the beginning, and the number of equal ids at the end. No
  /// id counts twice.
  private static func common(_ old: [Int64], _ new: [Int64]) -> (prefix: Int, suffix: Int) {
    let shorter = min(old.count, new.count)
    var prefix = 0
    while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
    var suffix = 0
    while suffix < shorter - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] {
      suffix += 1
    }
    return (prefix, suffix)
  }
}
