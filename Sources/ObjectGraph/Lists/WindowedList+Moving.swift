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
    try move { try showStart() }
  }

  /// Moves the window to the last rows of all.
  public func jumpToEnd() throws {
    try move {
      let last = try read(initialCount, from: nil, including: true, reversed: true)
      try show(last.objects, isAtStart: last.isAll, isAtEnd: true)
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

  /// Moves the window, and tells observers.
  private func move<Result>(_ body: () throws -> Result) throws -> Result {
    absorb(isRetrying: true)
    if let problem { throw problem }
    defer {
      context.family.wait(self)
      context.family.tellOfEnd()
    }
    return try body()
  }
}
