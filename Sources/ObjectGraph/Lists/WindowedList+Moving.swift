extension WindowedList {
  /// Takes in rows after the window; the first ones leave it if there are too many.
  ///
  /// - Parameter count: How many; a quarter of the capacity if nil.
  /// - Returns: How many there were.
  /// - Throws: What reading throws; then the window is as it was.
  @discardableResult
  public func loadLater(_ count: Int? = nil) throws -> Int {
    try move { try extend(at: .end, by: count ?? capacity / 4) }
  }

  /// Takes in rows before the window; the last ones leave it if there are too many.
  ///
  /// - Parameter count: How many; a quarter of the capacity if nil.
  /// - Returns: How many there were; the position of each row that stayed is greater by as many.
  /// - Throws: What reading throws; then the window is as it was.
  @discardableResult
  public func loadEarlier(_ count: Int? = nil) throws -> Int {
    try move { try extend(at: .start, by: count ?? capacity / 4) }
  }

  /// Moves the window to the first rows of all.
  public func jumpToStart() throws {
    try move { try show(try read(initialCount, from: nil, including: true)) }
  }

  /// Moves the window to the last rows of all.
  public func jumpToEnd() throws {
    try move {
      let last = try read(initialCount, from: nil, including: true, reversed: true)
      try show(last, isAtEnd: true)
    }
  }

  /// Moves the window so that an object is in its middle.
  ///
  /// - Returns: The object's position; nil if it is not in the list, and then the window is where it
  ///   would be.
  @discardableResult
  public func jump(to object: Object<Value>) throws -> Int? {
    try move { try show(around: try axis.position(of: object)) }
    return position(of: object)
  }

  /// Moves the window so that the first row is in its middle whose key is the value, or comes after
  /// it.
  ///
  /// - Returns: That row's position; it is the window's `count` if all rows come before.
  /// - Throws: If no such property can have the value, or what reading throws.
  @discardableResult
  public func jump(toKey value: some AttributeValue) throws -> Int {
    let position = ListPosition(
      value: try Stored(value), id: axis.isDescending ? .max : .min)
    try move { try show(around: position) }
    return try rows.objects.partitioningIndex {
      axis.order(try axis.position(of: $0), position) >= 0
    }
  }

  /// Moves the window, and tells observers.
  private func move<Result>(_ body: () throws -> Result) throws -> Result {
    absorb(isRetrying: true)
    if let problem { throw problem }
    defer {
      context.family.wait(self)
      context.family.settle()
    }
    return try body()
  }

  private func show(around position: ListPosition) throws {
    let before = try read(initialCount / 2, from: position, including: false, reversed: true)
    let after = try read(initialCount - initialCount / 2, from: position, including: true)
    try show(before.objects + after.objects, isAtStart: before.isAll, isAtEnd: after.isAll)
  }
}

extension WindowedList {
  enum End { case start, end }

  /// Rows on one side of a position.
  struct Reading {
    /// In the list's order.
    let objects: [Object<Value>]
    /// Whether there are no others on that side.
    let isAll: Bool
  }

  /// Up to so many rows from a position, or from an end of the list.
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
      objects += try fetch(part)
    }
    return Reading(objects: reversed ? objects.reversed() : objects, isAll: objects.count < count)
  }

  /// Takes in rows on one side; some on the other leave if there are too many.
  func extend(at end: End, by count: Int) throws -> Int {
    guard let bound = end == .end ? upper : lower, count > 0 else { return 0 }
    let reading = try read(
      Swift.min(count, capacity), from: bound, including: false, reversed: end == .start)
    let objects = reading.objects
    let last = try (end == .end ? objects.last : objects.first).map(axis.position)
    let start = end == .end ? rows.count : 0
    take(
      ListSplice(
        removed: Gaps([]), removedKeys: [], added: objects,
        places: Gaps(Array(start..<start + objects.count)), sectionKeys: [], changed: []))
    let newBound = reading.isAll ? nil : last
    if end == .end { upper = newBound } else { lower = newBound }
    try trim(at: end == .end ? .start : .end)
    return objects.count
  }

  /// Lets rows go on one side if there are too many.
  func trim(at end: End) throws {
    guard rows.count > capacity else { return }
    let removed = end == .end ? capacity..<rows.count : 0..<rows.count - capacity
    let bound = try axis.position(
      of: rows.objects[end == .end ? removed.lowerBound - 1 : removed.upperBound])
    take(
      ListSplice(
        removed: Gaps(Array(removed)), removedKeys: Array(rows.keys[removed]), added: [],
        places: Gaps([]), sectionKeys: [], changed: []))
    if end == .end { upper = bound } else { lower = bound }
  }

  /// Reads again what the window has, and more if that has become little.
  func readAgain() throws {
    isAhead = false
    let count = Swift.max(initialCount, rows.count)
    let after = try read(count, from: lower, including: true)
    guard let lower, after.objects.count < initialCount / 2 else {
      return try show(after.objects, isAtStart: lower == nil, isAtEnd: after.isAll)
    }
    let before = try read(
      initialCount - after.objects.count, from: lower, including: false, reversed: true)
    try show(before.objects + after.objects, isAtStart: before.isAll, isAtEnd: after.isAll)
  }

  /// Takes in rows after the window, and before it, when much of it was deleted.
  func fill() throws {
    guard rows.count < initialCount / 2 else { return }
    _ = try extend(at: .end, by: initialCount - rows.count)
    _ = try extend(at: .start, by: initialCount - rows.count)
  }

  /// Makes what was read from the list's start on the window.
  func show(_ reading: Reading) throws {
    try show(reading.objects, isAtStart: true, isAtEnd: reading.isAll)
  }

  /// Makes what was read back from the list's end the window.
  private func show(_ reading: Reading, isAtEnd: Bool) throws {
    try show(reading.objects, isAtStart: reading.isAll, isAtEnd: isAtEnd)
  }

  private func show(_ objects: [Object<Value>], isAtStart: Bool, isAtEnd: Bool) throws {
    let first = try objects.first.map(axis.position)
    let last = try objects.last.map(axis.position)
    try replace(with: objects)
    lower = isAtStart ? nil : first
    upper = isAtEnd ? nil : last
  }
}
