extension Aggregate {
  /// Returns the figure over rows; null if no row has a value, except for the count.
  package func figure(
    over rows: [some RowSource], _ entity: Int, _ model: Model
  ) throws -> Stored {
    func values(_ place: Place) throws -> [Stored] {
      try rows.map { try $0.stored(at: place) }.filter { !$0.isNull }
    }
    func addends(_ path: PropertyPath) throws -> [Stored] {
      try values(try model.number(path, from: entity))
    }
    switch self {
    case .count: return .integer(Int64(rows.count))
    case .minimum(let path):
      let place = try model.orderable(path, from: entity)
      return try values(place).min { place.order.compare($0, $1) < 0 } ?? .null
    case .maximum(let path):
      let place = try model.orderable(path, from: entity)
      return try values(place).max { place.order.compare($0, $1) < 0 } ?? .null
    case .sum(let path): return try Self.sum(try addends(path), path)
    case .average(let path):
      let values = try addends(path)
      return values.isEmpty ? .null : .real(Self.sum(values) / Double(values.count))
    }
  }

  private static func sum(_ values: [Stored], _ path: PropertyPath) throws -> Stored {
    guard !values.isEmpty else { return .null }
    var sum = IntegerSum()
    for value in values {
      guard case .integer(let value) = value else { return .real(Self.sum(values)) }
      sum.add(value)
    }
    guard let total = sum.total else { throw GraphError.tooMuch(path) }
    return .integer(total)
  }

  private static func sum(_ values: [Stored]) -> Double {
    values.reduce(0) { sum, value in
      switch value {
      case .integer(let value): sum + Double(value)
      case .real(let value): sum + value
      case .null, .text, .blob: sum
      }
    }
  }
}

extension GraphError {
  /// A sum of integers is more than an integer holds.
  package static func tooMuch(_ path: PropertyPath) -> GraphError {
    GraphError("add up \(path.name)", .figure("the sum is more than 64 bits hold"))
  }
}
