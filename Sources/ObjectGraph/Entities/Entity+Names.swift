extension Entity {
  /// Returns the name of a property in the schema. If the schema does not have the property,
  /// returns a text that cannot be a name, so that a request with that text is refused.
  static func column(at path: PartialKeyPath<Self>) -> String {
    let column = MemoryLayout<Self>.offset(of: path).flatMap(layout.column(at:))
    return column.map { layout.columns[$0].name } ?? "\(path)"
  }

  /// Returns the name of a to-many property in the schema. If the schema does not have the
  /// property, returns a text that cannot be a name, so that a request with that text is refused.
  static func toMany<Other: Entity>(at path: KeyPath<Self, Many<Other>>) -> String {
    let many = Self()[keyPath: path]
    let relation = layout.toManys.first {
      $0.through == nil && $0.target == Other.self && $0.inverseOffset == many.inverseOffset
    }
    return relation?.name ?? "\(path)"
  }

  /// Returns the name of a many-to-many property in the schema. If the schema does not have the
  /// property, returns a text that cannot be a name, so that a request with that text is refused.
  static func toMany<Link: Entity, Other: Entity>(
    at path: KeyPath<Self, Through<Link, Other>>
  ) -> String {
    let through = Self()[keyPath: path]
    let relation = layout.toManys.first {
      $0.target == Link.self && $0.inverseOffset == through.offsets.owner
        && $0.through?.offsets.target == through.offsets.target
    }
    return relation?.name ?? "\(path)"
  }
}
