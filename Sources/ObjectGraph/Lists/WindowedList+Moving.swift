extension WindowedList {
  /// Reads rows after the window and adds them to the window. If there are then more rows than the
  /// capacity, the first rows of the window are removed.
  ///
  /// - Parameter count: The number of rows to read; a quarter of the capacity if nil.
  /// - Returns: The number of rows that were added.
  /// - Throws: The error of reading. The window is unchanged then.
  /// - Complexity: The store reads at most `count` rows, plus the number of rows with unsaved
  ///   changes.
  @discardableResult
  public func loadLater(_ count: Int? = nil) throws -> Int {
    try move { try extend(at: .end, by: count ?? capacity / 4) }
  }

  /// Reads rows before the window and adds them to the window. If there are then more rows than the
  /// capacity, the last rows of the window are removed.
  ///
  /// - Parameter count: The number of rows to read; a quarter of the capacity if nil.
  /// - Returns: The number of added rows. The positions of the other rows grow by this number.
  /// - Throws: The error of reading. The window is unchanged then.
  /// - Complexity: The store reads at most `count` rows, plus the number of rows with unsaved
  ///   changes.
  @discardableResult
  public func loadEarlier(_ count: Int? = nil) throws -> Int {
    try move { try extend(at: .start, by: count ?? capacity / 4) }
  }

  /// Moves the window to the first rows of the list.
  ///
  /// - Complexity: The store reads at most half of the capacity, plus the number of rows with
  ///   unsaved changes.
  public func jumpToStart() throws {
    try move { try showStart() }
  }

  /// Moves the window to the last rows of the list.
  ///
  /// - Complexity: The store reads at most half of the capacity, plus the number of rows with
  ///   unsaved changes.
  public func jumpToEnd() throws {
    try move {
      let last = try read(initialCount, from: nil, including: true, reversed: true)
      try show(last.objects, isAtStart: last.isAll, isAtEnd: true)
    }
  }

  /// Moves the window so that it has a given object in the middle.
  ///
  /// - Returns: The object's position; nil if the list does not contain the object. In that case,
  ///   the window has the rows around the place where the object would be.
  /// - Complexity: The store reads at most half of the capacity, plus the number of rows with
  ///   unsaved changes.
  @discardableResult
  public func jump(to object: Object<Value>) throws -> Int? {
    try move { try show(around: try axis.position(of: object)) }
    return position(of: object)
  }

  /// Moves the window so that its middle is the first row whose key is the given value or comes
  /// after it. The key is the property by which the list is ordered.
  ///
  /// - Returns: The position of that row, or the window's `count` if the keys of all rows come
  ///   before the value.
  /// - Throws: An error if the list is ordered by id, or if the property cannot have the value.
  ///   Otherwise, the error of reading.
  /// - Complexity: The store reads at most half of the capacity, plus the number of rows with
  ///   unsaved changes.
  @discardableResult
  public func jump(toKey value: some AttributeValue) throws -> Int {
    let position = ListPosition(
      value: try stored(value), id: axis.isDescending ? .max : .min)
    try move { try show(around: position) }
    return try rows.objects.partitioningIndex {
      axis.order(try axis.position(of: $0), position) >= 0
    }
  }

  private func stored(_ value: some AttributeValue) throws -> StoredValue {
    func refusal(_ message: String) -> GraphError {
      GraphError(
        "jump to \(value)",
        .request(entity: Value.layout.name, property: axis.name, message))
    }
    guard axis.column != nil else { throw refusal("the window is in the order of ids") }
    do {
      return try StoredValue(value)
    } catch let fault as ColumnFault {
      throw refusal(fault.message)
    }
  }

  /// Calls a closure that moves the window, then calls the observers.
  private func move<Result>(_ body: () throws -> Result) throws -> Result {
    absorb(isRetrying: true)
    if let problem { throw problem }
    defer {
      context.family.operation.queueEnd(for: self)
      context.family.operation.tellOfEnd()
    }
    return try body()
  }
}
