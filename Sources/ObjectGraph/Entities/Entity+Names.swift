extension Entity {
  /// Returns the schema's name of a property, or a text that is no name if the schema lacks it.
  static func column(at path: PartialKeyPath<Self>) -> String {
    let column = MemoryLayout<Self>.offset(of: path).flatMap(layout.column(at:))
    return column.map { layout.columns[$0].name } ?? "\(path)"
  }

  /// Returns the schema's name of a to-many property, or a text that is no name if the schema lacks
  /// it.
  static func toMany<Other: Entity>(at path: KeyPath<Self, Many<Other>>) -> String {
    let many = Self()[keyPath: path]
    let relation = layout.toManys.first {
      $0.target == Other.self && $0.inverseOffset == many.inverseOffset
    }
    return relation?.name ?? "\(path)"
  }
}
