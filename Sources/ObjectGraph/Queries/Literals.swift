// A literal must be of the kind that its column holds. The operators see to it when a filter is
// written; an archived request may be older than the schema.

extension Model {
  /// Throws unless a column can be compared with the literal.
  package func check(
    _ literal: Stored, _ comparison: Comparison, at place: Place, _ path: PropertyPath
  ) throws(GraphError) {
    let fits =
      switch (literal, place.storage) {
      case (.null, _): true
      case _ where place.isJSON: false
      case (.integer, .integer), (.integer, .real), (.real, .integer), (.text, .text),
        (.blob, .blob):
        true
      case (.real(let value), .real): !value.isNaN
      default: false
      }
    if !fits { throw unusable(place.entity, path.name, "it cannot be compared with this value") }
    if place.isJSON, comparison != .equal, comparison != .notEqual {
      throw unusable(place.entity, path.name, "JSON has no order")
    }
  }

  /// Throws unless two columns can be compared.
  package func check(
    _ place: Place, _ path: PropertyPath, comparesWith other: Place
  ) throws(GraphError) {
    let areNumbers = place.storage.isNumeric && other.storage.isNumeric
    guard !place.isJSON, !other.isJSON, areNumbers || place.storage == other.storage else {
      throw unusable(place.entity, path.name, "it cannot be compared with the other property")
    }
  }
}
