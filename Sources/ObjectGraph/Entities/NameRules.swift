/// The names that a store's engine does not admit, beside those that no schema may use.
///
/// A store gives them to its model, so that a schema is refused before the engine sees it. Whether a
/// letter is a capital makes no difference.
package struct NameRules: Sendable {
  /// Names that no entity may have.
  package var entities: Set<String>
  /// Beginnings that no entity's name may have.
  package var entityPrefixes: [String]
  /// Names that no property may have, because each row has something of the name.
  package var properties: Set<String>
  /// The number of UTF-8 bytes that a name may have; nil if there is no limit.
  package var longest: Int?

  /// Rules that admit every name that a schema may use.
  package init(
    entities: Set<String> = [], entityPrefixes: [String] = [], properties: Set<String> = [],
    longest: Int? = nil
  ) {
    self.entities = entities
    self.entityPrefixes = entityPrefixes
    self.properties = properties
    self.longest = longest
  }

  /// Returns what is wrong with an entity's name and those of its properties.
  func mistakes(in layout: Layout) -> [SchemaMistake] {
    var mistakes: [SchemaMistake] = []
    func note(_ property: String?, _ message: String) {
      mistakes.append(SchemaMistake(entity: layout.name, property: property, message: message))
    }
    func checkLength(_ name: String, of property: String?) {
      guard let longest, name.utf8.count > longest else { return }
      note(property, "the name has \(name.utf8.count) bytes; the store admits \(longest)")
    }
    let entity = layout.name.lowercased()
    if entities.contains(entity) { note(nil, "the name is taken by the store") }
    for prefix in entityPrefixes where entity.hasPrefix(prefix) {
      note(nil, "names that begin with \(prefix) are taken")
    }
    checkLength(layout.name, of: nil)
    for column in layout.columns {
      if properties.contains(column.name.lowercased()) {
        note(column.name, "the name belongs to every row")
      }
      checkLength(column.name, of: column.name)
    }
    return mistakes
  }
}
