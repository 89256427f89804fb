/// A position in the order of a windowed list. A row at this position need not exist.
struct ListPosition {
  /// The value of the column that orders the list; null if the list is in the order of ids.
  let value: StoredValue
  let id: Int64
}

/// The order of a windowed list: by one column, then by id in the same direction.
///
/// An index of the column can be read in both directions. So a store can read the rows next to a
/// position without reading the rows between the position and an end of the list.
struct ListAxis {
  /// The index of the column in the layout; nil if the list is ordered by id alone.
  let column: Int?
  let name: String
  let isDescending: Bool
  private let isOptional: Bool
  /// The least value that the column can have, apart from nil.
  private let leastValue: StoredValue
  /// The order in which the column's values are compared.
  private let values: ColumnOrder

  /// Creates the order of a windowed list from the list's request.
  ///
  /// - Throws: If the request is ordered neither by id nor by one indexed column of the entity
  ///   itself, if that column has `Decimal` values, or if the order is `folded` or `natural`. An index
  ///   over several columns counts if the column is its last one and the filter fixes the others with
  ///   `==`.
  init<Value: Entity>(_ request: FetchRequest<Value>) throws {
    let layout = Value.layout
    // Terms after the id have no effect, because ids are unique.
    let terms = request.order.terms.prefix { $0.property != PropertyPath(name: "id") }
    let term = terms.first ?? request.order.terms.first
    name = term?.property.name ?? "id"
    isDescending = term?.isDescending ?? false
    guard let term, !terms.isEmpty else {
      (column, isOptional, leastValue, values) = (nil, false, .integer(.min), .numbers)
      return
    }
    func refusal(_ message: String) -> GraphError {
      GraphError(
        "window \(layout.name)",
        .request(entity: layout.name, property: term.property.name, message))
    }
    guard term.textOrder == nil else {
      throw refusal("a windowed list needs an index with its order; that of key texts has none")
    }
    guard terms.count == 1, term.property.relations.isEmpty,
      let index = layout.column(everNamed: term.property.name)
    else { throw refusal("a windowed list is in the order of one property of its own objects") }
    let column = layout.columns[index]
    let fixed = request.filter?.condition.fixedColumns(of: layout) ?? []
    let isIndexed = layout.indexes.contains {
      $0.columns.last == index && fixed.isSuperset(of: $0.columns.dropLast())
    }
    guard isIndexed else {
      throw refusal(
        "a windowed list needs an index on it, or an Index whose other properties the filter fixes")
    }
    guard column.kept.order != .decimals else {
      throw refusal("a windowed list needs an index with its order; that of decimals has none")
    }
    self.column = index
    isOptional = column.isOptional
    leastValue = column.kept.least
    values = column.kept.order
  }

  /// Returns the terms of the order or, if `reversed`, of the reverse order.
  func order(reversed: Bool) -> [OrderTerm] {
    let isDescending = isDescending != reversed
    let byID = OrderTerm(property: PropertyPath(name: "id"), isDescending: isDescending)
    guard column != nil else { return [byID] }
    return [OrderTerm(property: PropertyPath(name: name), isDescending: isDescending), byID]
  }

  /// The position before all rows with a value.
  var least: ListPosition { ListPosition(value: column == nil ? .null : leastValue, id: 0) }

  func position(of object: GraphObject) throws -> ListPosition {
    guard let column else { return ListPosition(value: .null, id: object.key) }
    let value = try object.withValue { try object.layout.columns[column].stored(of: $0) }
    return ListPosition(value: value, id: object.key)
  }

  /// Returns a negative number if the first position comes first, zero if they are equal, else a
  /// positive number.
  func order(_ one: ListPosition, _ other: ListPosition) -> Int {
    let byValue = values.compare(one.value, other.value)
    let order = byValue != 0 ? byValue : one.id < other.id ? -1 : one.id == other.id ? 0 : 1
    return isDescending ? -order : order
  }

  /// Returns conditions that together select the rows after a position or, if `reversed`, before
  /// it. The row at the position itself is selected only if `isIncluded` is true. The rows of the
  /// first condition are the nearest to the position.
  ///
  /// A single condition (`k > a OR k = a AND id > b`) would be slow, because a store would sort all
  /// rows that match it.
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
    case (true, true): stretches.append(.compare(path, .greaterOrEqual, leastValue))
    case (true, false): stretches.append(.compare(path, .greater, position.value))
    case (false, true): break
    case (false, false):
      stretches.append(.compare(path, .less, position.value))
      if isOptional { stretches.append(.compare(path, .equal, .null)) }
    }
    return stretches
  }
}

extension Condition {
  /// Returns the columns that have the same value in all rows that meet the condition.
  fileprivate func fixedColumns(of layout: Layout) -> Set<Int> {
    switch form {
    case .leaf(.compare(let path, .equal, _)) where path.relations.isEmpty:
      layout.column(everNamed: path.name).map { [$0] } ?? []
    case .and(let terms): terms.reduce(into: []) { $0.formUnion($1.fixedColumns(of: layout)) }
    default: []
    }
  }
}
