// A literal must be of the kind that its column holds. The operators see to it when a filter is
// written; an archived request may be older than the schema.

extension Model {
  /// Throws unless a column can be compared with the literal.
  package func check(
    _ literal: StoredValue, _ comparison: Comparison, at place: ResolvedPath, _ path: PropertyPath
  ) throws(GraphError) {
    let fits = literal.isNull || place.holdsValues(like: literal)
    if !fits { throw unusable(place.entity, path.name, "it cannot be compared with this value") }
    if place.order == .none, comparison != .equal, comparison != .notEqual {
      throw unusable(place.entity, path.name, "JSON has no order")
    }
  }

  /// Throws unless a column holds texts.
  package func checkText(at place: ResolvedPath, _ path: PropertyPath) throws(GraphError) {
    guard place.order == .texts else { throw unusable(place.entity, path.name, "it is no text") }
  }

  /// Throws unless two columns can be compared.
  package func check(
    _ place: ResolvedPath, _ path: PropertyPath, comparesWith other: ResolvedPath
  ) throws(GraphError) {
    guard place.order == other.order, place.order != .none else {
      throw unusable(place.entity, path.name, "it cannot be compared with the other property")
    }
  }
}

extension ResolvedPath {
  /// Whether the order of the values says how a literal compares with them.
  fileprivate func holdsValues(like literal: StoredValue) -> Bool {
    switch order {
    case .numbers:
      switch literal {
      case .integer: true
      case .real(let value): storage == .integer || !value.isNaN
      case .null, .text, .blob: false
      }
    case .decimals: if case .text(let text) = literal { DecimalNumber(text) != nil } else { false }
    case .texts: if case .text = literal { true } else { false }
    case .bytes: if case .blob = literal { true } else { false }
    case .none: false
    }
  }
}
