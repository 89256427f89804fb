/// A rule of a schema: no two objects have equal values in all of some properties.
///
/// ```swift
/// static let schema = Schema<Card>("Card") {
///   ToOne("deck", \.deck)
///   Attribute("question", \.question)
///   Unique(\.deck, \.question)
/// }
/// ```
///
/// An object with nil in one of the properties equals no other object. In one save, values may move
/// from one object to another. A save that breaks a rule is refused as
/// ``GraphError/Reason/notUnique(entity:properties:object:)``.
public struct Unique<Root: Entity>: Sendable {
  let part: SchemaPart

  /// Creates a rule for the given properties. The order of the properties is the order of the
  /// rule's index: a fetch uses the index if its filter fixes the first properties.
  public init(_ properties: any PartialKeyPath<Root> & Sendable...) {
    part = .index(properties, isUnique: true)
  }
}

/// An index over several properties, which makes some fetches faster and changes no result.
///
/// ```swift
/// Index(\.deck, \.due)   // of one deck, in the order of the dates
/// ```
///
/// A fetch uses the index if its filter fixes the first properties with `==`, and then compares, or
/// is ordered by, the next one. A ``WindowedList`` in the order of the last property needs it.
public struct Index<Root: Entity>: Sendable {
  let part: SchemaPart

  /// Creates an index over the given properties, in this order.
  public init(_ properties: any PartialKeyPath<Root> & Sendable...) {
    part = .index(properties, isUnique: false)
  }
}

/// Columns of an entity by which a store finds rows, and whether their values are unique together.
package struct ColumnIndex: Hashable, Sendable {
  package let columns: [Int]
  package let isUnique: Bool

  /// Returns the values of a row in the columns; nil if one of them is null, because such a row
  /// equals no other row.
  package func key(of row: [StoredValue]) -> [StoredValue]? {
    let key = columns.map { row[$0] }
    return key.contains(where: \.isNull) ? nil : key
  }
}

/// A `Unique` or an `Index` as a schema declares it.
struct IndexDeclaration: Sendable {
  /// A property, as far as its key path shows it.
  struct Property: Sendable {
    /// The property's place in the struct; nil if it has none.
    let offset: Int?
    let typeName: String

    init<Root: Entity>(_ path: PartialKeyPath<Root>) {
      offset = MemoryLayout<Root>.offset(of: path)
      typeName = "\(type(of: path).valueType)"
    }
  }

  let properties: [Property]
  let isUnique: Bool

  var name: String { isUnique ? "Unique" : "Index" }

  /// Returns the index of a property's column; nil if no column has the property.
  static func column(of property: Property, in columns: [Column]) -> Int? {
    columns.firstIndex { $0.offset == property.offset && $0.typeName == property.typeName }
  }
}

extension Layout {
  /// Returns the index of the column with a property; nil if no column has it.
  func column<Root: Entity>(of path: PartialKeyPath<Root>) -> Int? {
    IndexDeclaration.column(of: .init(path), in: columns)
  }
}

extension SchemaPart {
  fileprivate static func index<Root: Entity>(
    _ paths: [any PartialKeyPath<Root> & Sendable], isUnique: Bool
  ) -> SchemaPart {
    let properties = paths.map { IndexDeclaration.Property($0) }
    return SchemaPart(
      name: "", form: .index(IndexDeclaration(properties: properties, isUnique: isUnique)))
  }
}
