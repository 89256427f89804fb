package import ObjectGraph

extension Model {
  /// Returns the initial value of a property in the form that a column stores; nil if there is no
  /// such property.
  package func initialValue(of property: String, in entity: String) throws -> StoredValue? {
    guard let index = index(named: entity) else { return nil }
    let layout = layouts[index]
    guard let column = layout.column(named: property) else { return nil }
    func value<E: Entity>(_: E.Type) throws -> StoredValue {
      var value = E()
      return try StructMemory.lend(&value) { try layout.columns[column].stored(of: $0) }
    }
    return try value(layout.type)
  }
}
