extension WindowedList {
  enum End { case start, end }

  /// The result of reading rows on one side of a position.
  struct Reading {
    /// The rows, in the order of the list.
    let objects: [Object<Value>]
    /// Whether the list has no more rows on this side of the position.
    let isAll: Bool
  }

  /// Reads at most `count` rows from a position towards the end of the list or, if `reversed`,
  /// towards its start. The row at the position itself is read only if `isIncluded` is true. If the
  /// position is nil, reads from the first row of the list or, if `reversed`, from the last row.
  func read(
    _ count: Int, from position: ListPosition?, including isIncluded: Bool, reversed: Bool = false
  ) throws -> Reading {
    let stretches: [Condition?] =
      position.map { axis.stretches(from: $0, including: isIncluded, reversed: reversed) } ?? [nil]
    var objects: [Object<Value>] = []
    for stretch in stretches where objects.count < count {
      var part = request
      let conditions = [request.filter?.condition, stretch].compactMap(\.self)
      part.filter = conditions.isEmpty ? nil : Filter(.and(conditions))
      part.order = Ordering(terms: axis.order(reversed: reversed))
      part.limit = count - objects.count
      objects += try context.fetch(part)
    }
    return Reading(objects: reversed ? objects.reversed() : objects, isAll: objects.count < count)
  }

  /// Reads rows next to one end of the window and adds them. If there are then more rows than the
  /// capacity, removes rows at the other end.
  func extend(at end: End, by count: Int) throws -> Int {
    guard let bound = end == .end ? upper : lower, count > 0 else { return 0 }
    let reading = try read(
      Swift.min(count, capacity), from: bound, including: false, reversed: end == .start)
    let objects = reading.objects
    let last = try (end == .end ? objects.last : objects.first).map(axis.position)
    // This comes before any change, so that an error leaves the window unchanged.
    let far: End = end == .end ? .start : .end
    let all = end == .end ? Array(rows.objects) + objects : objects + Array(rows.objects)
    let leaving = try leaving(at: far, of: all)
    let start = end == .end ? rows.count : 0
    take(
      ListSplice(
        removed: PositionSet([]), removedKeys: [], added: objects,
        places: PositionSet(Array(start..<start + objects.count)), sectionKeys: [], changed: []))
    let newBound = reading.isAll ? nil : last
    if end == .end { upper = newBound } else { lower = newBound }
    if let leaving { remove(leaving, at: far) }
    return objects.count
  }

  /// Removes rows at one end of the window if there are more rows than the capacity.
  func trim(at end: End) throws {
    if let leaving = try leaving(at: end, of: Array(rows.objects)) { remove(leaving, at: end) }
  }

  /// The rows that leave the window at one end, and the position of that end afterwards.
  private typealias Leaving = (rows: Range<Int>, bound: ListPosition)

  /// Returns the rows to remove at one end if there are more rows than the capacity; otherwise nil.
  private func leaving(at end: End, of objects: [Object<Value>]) throws -> Leaving? {
    guard objects.count > capacity else { return nil }
    let rows = end == .end ? capacity..<objects.count : 0..<objects.count - capacity
    let bound = try axis.position(of: objects[end == .end ? capacity - 1 : rows.upperBound])
    return (rows, bound)
  }

  private func remove(_ leaving: Leaving, at end: End) {
    take(
      ListSplice(
        removed: PositionSet(Array(leaving.rows)), removedKeys: Array(rows.keys[leaving.rows]),
        added: [], places: PositionSet([]), sectionKeys: [], changed: []))
    if end == .end { upper = leaving.bound } else { lower = leaving.bound }
  }

  /// Reads the rows of the window again. If few rows are left, also reads rows before the window.
  /// The rows with the given ids are reported to observers as updated.
  func readAgain(_ changed: Set<Int64>) throws {
    let count = Swift.max(initialCount, rows.count)
    let after = try read(count, from: lower, including: true)
    guard let lower, after.objects.count < initialCount / 2 else {
      return try show(
        after.objects, isAtStart: lower == nil, isAtEnd: after.isAll, changed: changed)
    }
    let before = try read(
      initialCount - after.objects.count, from: lower, including: false, reversed: true)
    try show(
      before.objects + after.objects, isAtStart: before.isAll, isAtEnd: after.isAll,
      changed: changed)
  }

  /// Adds rows after the window, then before it, if the window has few rows left.
  func fill() throws {
    guard rows.count < initialCount / 2 else { return }
    _ = try extend(at: .end, by: initialCount - rows.count)
    _ = try extend(at: .start, by: initialCount - rows.count)
  }

  /// Replaces the rows of the window.
  func show(
    _ objects: [Object<Value>], isAtStart: Bool, isAtEnd: Bool, changed: Set<Int64> = []
  ) throws {
    let first = try objects.first.map(axis.position)
    let last = try objects.last.map(axis.position)
    try replace(with: objects, changed)
    lower = isAtStart ? nil : first
    upper = isAtEnd ? nil : last
  }

  /// Shows the first rows of the list.
  func showStart() throws {
    let first = try read(initialCount, from: nil, including: true)
    try show(first.objects, isAtStart: true, isAtEnd: first.isAll)
  }

  /// Shows the rows around a position.
  func show(around position: ListPosition) throws {
    let before = try read(initialCount / 2, from: position, including: false, reversed: true)
    let after = try read(initialCount - initialCount / 2, from: position, including: true)
    try show(before.objects + after.objects, isAtStart: before.isAll, isAtEnd: after.isAll)
  }
}
