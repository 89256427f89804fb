/// A place in the order of a windowed list, whether there is a row or not.
struct ListPosition {
  /// What the key's column holds; null if the list is in the order of ids.
  let value: StoredValue
  let id: Int64
}

/// The order of a windowed list: by one column, then by id in the same direction.
///
/// It is an order that an index has, both ways: rows after or before a position are found without
/// reading those between the list's ends and it.
struct ListAxis {
  /// The column; nil if the order is that of ids.
  let column: Int?
  let name: String
  let isDescending: Bool
  private let isOptional: Bool
  /// No value of the column is less than this one; only nil is.
  private let least: StoredValue
  /// The order of the column's values.
  private let values: ColumnOrder

  /// Throws unless the order is by one indexed column of the entity's own, or by id.
  init<Value: Entity>(_ request: FetchRequest<Value>) throws {
    let layout = Value.layout
    // What comes after the id decides nothing.
    let terms = request.order.terms.prefix { $0.property != PropertyPath(name: "id") }
    let term = terms.first ?? request.order.terms.first
    name = term?.property.name ?? "id"
    isDescending = term?.isDescending ?? false
    guard let term, !terms.isEmpty else {
      (column, isOptional, least, values) = (nil, false, .integer(.min), .numbers)
      return
    }
    func refusal(_ message: String) -> GraphError {
      GraphError(
        "window \(layout.name)",
        .request(entity: layout.name, property: term.property.name, message))
    }
    guard terms.count == 1, term.property.relations.isEmpty,
      let index = layout.column(everNamed: term.property.name)
    else { throw refusal("a windowed list is in the order of one property of its own objects") }
    let column = layout.columns[index]
    guard column.isIndexed || column.isUnique else {
      throw refusal("a windowed list needs an index on it")
    }
    guard column.kept.order != .decimals else {
      throw refusal("a windowed list needs an index with its order; that of decimals has none")
    }
    self.column = index
    isOptional = column.isOptional
    least = column.kept.least
    values = column.kept.order
  }

  /// The order, or its reverse.
  func order(reversed: Bool) -> [OrderTerm] {
    let isDescending = isDescending != reversed
    let byID = OrderTerm(property: PropertyPath(name: "id"), isDescending: isDescending)
    guard column != nil else { return [byID] }
    return [OrderTerm(property: PropertyPath(name: name), isDescending: isDescending), byID]
  }

  func position(of object: GraphObject) throws -> ListPosition {
    guard let column else { return ListPosition(value: .null, id: object.key) }
    let value = try object.withValue { try object.layout.columns[column].stored(of: $0) }
    return ListPosition(value: value, id: object.key)
  }

  /// Negative if the first comes first, zero if they are one, else positive.
  func order(_ one: ListPosition, _ other: ListPosition) -> Int {
    let byValue = values.compare(one.value, other.value)
    let order = byValue != 0 ? byValue : one.id < other.id ? -1 : one.id == other.id ? 0 : 1
    return isDescending ? -order : order
  }

  /// The rows from a position on, or from it back: for each stretch of the index the condition, in
  /// the order in which they come.
  ///
  /// One condition for all of them (`k > a OR k = a AND id > b`) would be slow: stores sort what
  /// meets it.
  func stretches(
    from position: ListPosition, including isIncluded: Bool, reversed: Bool
  ) -> [Condition] {
    let ascends = isDescending == reversed
    let ids: Comparison =
      switch (ascends, isIncluded) {
      case (true, true): .greaterOrEqual
      case (true, false): .greater
      case (false, true): .lessOrEqual
      case (false, false): .less
      }
    let byID = Condition.compare(PropertyPath(name: "id"), ids, .integer(position.id))
    guard column != nil else { return [byID] }
    let path = PropertyPath(name: name)
    var stretches = [Condition.and([.compare(path, .equal, position.value), byID])]
    switch (ascends, position.value.isNull) {
    case (true, true): stretches.append(.compare(path, .greaterOrEqual, least))
    case (true, false): stretches.append(.compare(path, .greater, position.value))
    case (false, true): break
    case (false, false):
      stretches.append(.compare(path, .less, position.value))
      if isOptional { stretches.append(.compare(path, .equal, .null)) }
    }
    return stretches
  }
}
