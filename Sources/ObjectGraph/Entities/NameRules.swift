/// The names that a store's engine forbids, in addition to the names that are forbidden in every
/// schema.
///
/// A store passes its rules to its model. The model throws an error for a forbidden name, before
/// the engine reads the name. Each store has rules of its own: a store in memory allows a property
/// named `rowid`, and a store in a file does not. All names in the rules are in lower case. The
/// case of a schema's names does not matter.
package struct NameRules: Sendable {
  /// The names that no entity may have.
  package var entities: Set<String>
  /// The prefixes that no entity's name may have.
  package var entityPrefixes: [String]
  /// The names that no property may have, because the engine uses them in each row.
  package var properties: Set<String>
  /// The greatest number of UTF-8 bytes of a name; nil if there is no limit.
  package var longest: Int?

  /// Creates rules. By default, they forbid only the names that are forbidden in every schema.
  package init(
    entities: Set<String> = [], entityPrefixes: [String] = [], properties: Set<String> = [],
    longest: Int? = nil
  ) {
    self.entities = entities
    self.entityPrefixes = entityPrefixes
    self.properties = properties
    self.longest = longest
  }

  /// Returns the mistakes in the names of an entity and its properties.
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
