// A literal must be of the kind that its column stores. In a program, the compiler ensures this. An
// archived request may be older than the schema, so the kinds are checked here.

extension Model {
  /// Checks that a column can be compared with the literal.
  ///
  /// - Throws: An error if the column cannot be compared with it.
  package func check(
    _ literal: StoredValue, _ comparison: Comparison, at place: ResolvedPath, _ path: PropertyPath
  ) throws(GraphError) {
    let fits = literal.isNull || place.holdsValues(like: literal)
    if !fits { throw unusable(place.entity, path.name, "it cannot be compared with this value") }
    if place.order == .none, comparison != .equal, comparison != .notEqual {
      throw unusable(place.entity, path.name, "JSON has no order")
    }
  }

  /// Checks that a column stores texts.
  ///
  /// - Throws: An error if the column stores other values.
  package func checkText(at place: ResolvedPath, _ path: PropertyPath) throws(GraphError) {
    guard place.order == .texts else { throw unusable(place.entity, path.name, "it is no text") }
  }

  /// Checks that two columns can be compared.
  ///
  /// - Throws: An error if the two cannot be compared.
  package func check(
    _ place: ResolvedPath, _ path: PropertyPath, comparesWith other: ResolvedPath
  ) throws(GraphError) {
    guard place.order == other.order, place.order != .none else {
      throw unusable(place.entity, path.name, "it cannot be compared with the other property")
    }
  }
}

extension ResolvedPath {
  /// Returns whether the column has values of the literal's kind.
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
