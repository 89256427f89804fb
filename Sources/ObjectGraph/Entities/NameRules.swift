/// The rules for names in a schema. They are the same for each store, so that a schema that works in
/// memory also works in a file and on a server.
///
/// Engines do not distinguish names by their case, so the rules do not, either.
enum NameRules {
  /// The prefixes that no entity's name may have. The tables of the package and of SQLite have such
  /// names.
  private static let takenPrefixes = ["lineage_", "sqlite_"]

  /// The names of the columns that SQLite and PostgreSQL add to each table.
  private static let takenColumns: Set<String> = [
    "id", "rowid", "oid", "_rowid_", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid",
  ]

  /// The names of the members that every object has.
  private static let members: Set<String> = [
    "id", "context", "value", "isDeleted", "changes", "observe", "updates",
  ]

  /// The greatest number of UTF-8 bytes of a name. PostgreSQL cuts off longer names.
  private static let longest = 63

  /// Returns the mistakes in the name of an entity.
  static func mistakes(inEntity name: String) -> [String] {
    var mistakes = mistakes(in: name, of: "an entity")
    for prefix in takenPrefixes where name.lowercased().hasPrefix(prefix) {
      mistakes.append("names that begin with \(prefix) are taken")
    }
    return mistakes
  }

  /// Returns the mistakes in the name of a property. If `isColumn` is false, the property is a
  /// to-many property, which no table contains.
  static func mistakes(inProperty name: String, isColumn: Bool) -> [String] {
    var mistakes = mistakes(in: name, of: "a property")
    if members.contains(name) {
      mistakes.append("the name belongs to every object")
    } else if isColumn, takenColumns.contains(name.lowercased()) {
      mistakes.append("the name belongs to every row")
    }
    return mistakes
  }

  private static func mistakes(in name: String, of kind: String) -> [String] {
    let isFirst: (Character) -> Bool = { $0.isLetter || $0 == "_" }
    guard name.first.map(isFirst) ?? false, name.allSatisfy({ isFirst($0) || $0.isNumber }) else {
      return ["\(kind)'s name is made of letters, digits and underscores"]
    }
    let count = name.utf8.count
    return count > longest ? ["the name has \(count) bytes, and may have \(longest)"] : []
  }
}
