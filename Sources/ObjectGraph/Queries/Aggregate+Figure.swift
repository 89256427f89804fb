extension Aggregate {
  /// Returns the figure (count, sum, average, minimum or maximum) over rows.
  package func figure(
    over rows: [some RowSource], _ entity: Int, _ model: Model
  ) throws -> StoredValue {
    var running = try RunningFigure(self, of: entity, model: model)
    for row in rows { try running.add(row) }
    return try running.figure
  }
}

/// A figure (count, sum, average, minimum or maximum) that is computed value by value. Without
/// values, a count is zero, and any other figure is null.
///
/// Each store uses this type for what its engine cannot compute exactly, so that all stores return
/// the same figure. Foundation's arithmetic of decimals rounds silently, and its result depends on
/// the order of the values.
package struct RunningFigure {
  /// The property of the values; nil for a count of rows.
  package let place: ResolvedPath?
  private let aggregate: Aggregate
  private let model: Model
  /// The number of rows or values.
  private var count = 0
  private var integers: Int128 = 0
  private var reals = 0.0
  private var areIntegers = true
  private var exact = DecimalSum()
  /// The least or the greatest value.
  private var best = StoredValue.null

  package init(_ aggregate: Aggregate, of entity: Int, model: Model) throws(GraphError) {
    (self.aggregate, self.model) = (aggregate, model)
    place =
      switch aggregate {
      case .count: nil
      case .minimum(let path), .maximum(let path): try model.orderable(path, from: entity)
      case .sum(let path), .average(let path): try model.number(path, from: entity)
      }
  }

  /// Whether decimals are added up, which no engine does exactly.
  package var addsDecimals: Bool { aggregate.addsUp && place?.order == .decimals }

  package mutating func add(_ row: some RowSource) throws {
    guard let place else { return count += 1 }
    guard let owner = try row.row(behind: place.hops) else { return }
    let value = try place.column.map { try owner.stored(column: $0) } ?? .integer(owner.id)
    if case .text(let text) = value, addsDecimals {
      try add(DecimalNumber(text), of: owner.id) { text }
    } else {
      add(value)
    }
  }

  /// Adds the value in a cell, which is that of the row with the given id.
  package mutating func add(_ cell: ColumnCell, of id: Int64) throws {
    if addsDecimals, cell.form != .null {
      try add(DecimalNumber(cell), of: id) { cell.described }
    } else {
      add(cell.stored)
    }
  }

  private mutating func add(
    _ number: DecimalNumber?, of id: Int64, _ described: () -> String
  ) throws {
    guard let number else {
      let object = model.name(place?.entity ?? 0, id)
      let message = "\(aggregate.path?.name ?? "") is \(described()), not a Decimal"
      throw GraphError("read \(object)", .unreadable(object: object, message))
    }
    exact.add(number)
  }

  private mutating func add(_ value: StoredValue) {
    guard !value.isNull else { return }
    count += 1
    switch (aggregate, value) {
    case (.count, _): break
    case (.minimum, _): best = place?.order.minimum(best, value) ?? value
    case (.maximum, _): best = place?.order.maximum(best, value) ?? value
    case (.sum, .integer(let integer)), (.average, .integer(let integer)):
      integers += Int128(integer)
      reals += Double(integer)
    case (.sum, .real(let real)), (.average, .real(let real)):
      areIntegers = false
      reals += real
    case (.sum, _), (.average, _): areIntegers = false
    }
  }

  /// The figure over all values so far.
  ///
  /// - Throws: An error if the figure does not fit: a sum of integers has more than 64 bits, or a
  ///   figure of decimals more digits than a `Decimal` can have.
  package var figure: StoredValue {
    get throws(GraphError) {
      switch aggregate {
      case .count: return .integer(Int64(count))
      case .minimum, .maximum: return best
      case .sum(let path), .average(let path):
        if addsDecimals { return try decimalFigure(path) }
        if count == 0 { return .null }
        if case .average = aggregate { return .real(reals / Double(count)) }
        guard areIntegers else { return .real(reals) }
        guard let total = Int64(exactly: integers) else { throw .tooMuch(path) }
        return .integer(total)
      }
    }
  }

  private func decimalFigure(_ path: PropertyPath) throws(GraphError) -> StoredValue {
    guard exact.count > 0 else { return .null }
    let number = if case .sum = aggregate { exact.total } else { exact.average }
    guard let number else { throw .tooManyDigits(path) }
    return .text(number.text)
  }
}

extension ColumnOrder {
  /// Returns the lesser of two values, or the other one if the first is null.
  fileprivate func minimum(_ one: StoredValue, _ other: StoredValue) -> StoredValue {
    one.isNull || compare(other, one) < 0 ? other : one
  }

  /// Returns the greater of two values, or the other one if the first is null.
  fileprivate func maximum(_ one: StoredValue, _ other: StoredValue) -> StoredValue {
    one.isNull || compare(other, one) > 0 ? other : one
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
