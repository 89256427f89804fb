extension Aggregate {
  /// Returns the figure (count, sum, average, minimum or maximum) over rows. If there are no rows,
  /// a count is zero. If no row has a value, any other figure is null.
  package func figure(
    over rows: [some RowSource], _ entity: Int, _ model: Model
  ) throws -> StoredValue {
    func values(_ place: ResolvedPath) throws -> [StoredValue] {
      try rows.map { try $0.stored(at: place) }.filter { !$0.isNull }
    }
    switch self {
    case .count: return .integer(Int64(rows.count))
    case .minimum(let path):
      let place = try model.orderable(path, from: entity)
      return place.order.minimum(of: try values(place))
    case .maximum(let path):
      let place = try model.orderable(path, from: entity)
      return place.order.maximum(of: try values(place))
    case .sum(let path), .average(let path):
      let place = try model.number(path, from: entity)
      let addends = try values(place)
      if place.order == .decimals { return try figure(ofDecimals: addends) }
      if case .sum = self { return try Self.sum(addends, path) }
      return addends.isEmpty ? .null : .real(Self.sum(addends) / Double(addends.count))
    }
  }

  private func figure(ofDecimals addends: [StoredValue]) throws -> StoredValue {
    var sum = DecimalSum()
    for case .text(let text) in addends {
      guard let number = DecimalNumber(text) else { continue }
      sum.add(number)
    }
    return try figure(of: sum)
  }

  /// Returns the figure of decimals from their exact sum; null if there are no decimals.
  ///
  /// Each store uses this function, so that all stores return the same figure. Foundation's
  /// arithmetic rounds silently, and its result depends on the order of the values.
  ///
  /// - Throws: An error if the figure has more digits than a `Decimal` can have.
  package func figure(of sum: DecimalSum) throws(GraphError) -> StoredValue {
    guard sum.count > 0 else { return .null }
    switch self {
    case .sum(let path):
      guard let total = sum.total else { throw GraphError.tooManyDigits(path) }
      return .text(total.text)
    case .average(let path):
      guard let average = sum.average else { throw GraphError.tooManyDigits(path) }
      return .text(average.text)
    case .count, .minimum, .maximum: return .null
    }
  }

  private static func sum(_ values: [StoredValue], _ path: PropertyPath) throws -> StoredValue {
    guard !values.isEmpty else { return .null }
    var sum = IntegerSum()
    for value in values {
      guard case .integer(let value) = value else { return .real(Self.sum(values)) }
      sum.add(value)
    }
    guard let total = sum.total else { throw GraphError.tooMuch(path) }
    return .integer(total)
  }

  private static func sum(_ values: [StoredValue]) -> Double {
    values.reduce(0) { sum, value in
      switch value {
      case .integer(let value): sum + Double(value)
      case .real(let value): sum + value
      case .null, .text, .blob: sum
      }
    }
  }
}

extension ColumnOrder {
  /// Returns the least of some values; null if there are none.
  fileprivate func minimum(of values: [StoredValue]) -> StoredValue {
    values.min { compare($0, $1) < 0 } ?? .null
  }

  /// Returns the greatest of some values; null if there are none.
  fileprivate func maximum(of values: [StoredValue]) -> StoredValue {
    values.max { compare($0, $1) < 0 } ?? .null
  }
}

extension GraphError {
  /// Returns the error for a sum of integers that does not fit into 64 bits.
  package static func tooMuch(_ path: PropertyPath) -> GraphError {
    GraphError("add up \(path.name)", .figure("the sum is more than 64 bits hold"))
  }

  /// Returns the error for a figure that has more than 38 digits or that no `Decimal` can
  /// represent.
  fileprivate static func tooManyDigits(_ path: PropertyPath) -> GraphError {
    GraphError("add up \(path.name)", .figure("the figure has more digits than a Decimal keeps"))
  }
}
