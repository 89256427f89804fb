extension Aggregate {
  /// The figure over rows; null if no row has a value, except for the count.
  func figure(
    over rows: [some RowSource], _ entity: Int, _ model: Model
  ) throws -> Stored {
    func values(_ path: PropertyPath) throws -> [Stored] {
      let place = try model.place(path, from: entity)
      return try rows.map { try $0.stored(at: place) }.filter { !$0.isNull }
    }
    switch self {
    case .count: return .integer(Int64(rows.count))
    case .minimum(let path): return try values(path).min { Stored.order($0, $1) < 0 } ?? .null
    case .maximum(let path): return try values(path).max { Stored.order($0, $1) < 0 } ?? .null
    case .sum(let path): return try Self.sum(try values(path), path)
    case .average(let path):
      let numbers = try values(path).compactMap(\.number)
      return numbers.isEmpty ? .null : .real(numbers.reduce(0, +) / Double(numbers.count))
    }
  }

  private static func sum(_ values: [Stored], _ path: PropertyPath) throws -> Stored {
    guard !values.isEmpty else { return .null }
    var total: Int64 = 0
    for value in values {
      guard case .integer(let value) = value else {
        return .real(values.compactMap(\.number).reduce(0, +))
      }
      let (sum, overflow) = total.addingReportingOverflow(value)
      if overflow { throw GraphError("add up \(path.name)", .store(code: 1, "integer overflow")) }
      total = sum
    }
    return .integer(total)
  }
}

extension Stored {
  fileprivate var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }
}
