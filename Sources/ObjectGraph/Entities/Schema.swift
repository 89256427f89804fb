/// The names and forms under which a store keeps an entity's properties.
///
/// If a schema has mistakes, such as a property that is missing or named twice, its first use
/// throws one error that lists all mistakes. A schema is first used when a store with the entity
/// opens, or when a context inserts an object of the entity.
public struct Schema<Root: Entity>: Sendable {
  package let layout: Layout

  /// Creates a schema from its parts. The parts must name each stored property and each to-many
  /// property of `Root` exactly once. If an object breaks several rules for unique values, the
  /// error names the one that is written first.
  ///
  /// - Complexity: Linear in the number of parts.
  public init(_ name: String, @SchemaBuilder<Root> _ parts: () -> [SchemaPart]) {
    layout = Layout(name, Root.self, parts())
  }
}

/// A result builder of the parts of a schema.
@resultBuilder
public enum SchemaBuilder<Root: Entity> {
  /// Returns the schema part of an attribute.
  public static func buildExpression(_ part: Attribute<Root>) -> SchemaPart { part.part }
  /// Returns the schema part of a to-one property.
  public static func buildExpression(_ part: ToOne<Root>) -> SchemaPart { part.part }
  /// Returns the schema part of a to-many property.
  public static func buildExpression(_ part: ToMany<Root>) -> SchemaPart { part.part }
  /// Returns the schema part of a rule for unique values.
  public static func buildExpression(_ part: Unique<Root>) -> SchemaPart { part.part }
  /// Returns the schema part of an index.
  public static func buildExpression(_ part: Index<Root>) -> SchemaPart { part.part }
  /// Returns the parts in the order in which they are written.
  public static func buildBlock(_ parts: SchemaPart...) -> [SchemaPart] { parts }
}

/// One line of a schema: a property, a rule for unique values, or an index.
public struct SchemaPart: Sendable {
  enum Form: Sendable {
    case column(Column, hasPlace: Bool, isNested: Bool, isForged: Bool)
    case toMany(ToManyRelation)
    case index(IndexDeclaration)
  }
  /// The name of the property; empty if the part is none.
  let name: String
  let form: Form

  /// Whether a table has a column for the part.
  var isColumn: Bool { if case .column = form { true } else { false } }
  var isProperty: Bool { if case .index = form { false } else { true } }
}

/// The effect of an owner's deletion on the objects of its to-many property.
public enum DeleteRule: String, Sendable, Codable {
  /// A deletion of the owner keeps the objects of the property, and sets their references to the
  /// owner to nil.
  case nullify
  /// A deletion of the owner also deletes the objects of the property.
  case cascade
  /// A deletion of the owner is refused while the property has objects.
  case deny
}

/// A to-one property: a `Ref` to an object, or nil.
public struct ToOne<Root: Entity>: Sendable {
  let part: SchemaPart

  /// Creates a property that refers to an object of another entity, or of the same entity.
  public init<Target: Entity>(
    _ name: String, _ path: any WritableKeyPath<Root, Ref<Target>?> & Sendable,
    formerly: String? = nil, onConflict rule: ConflictRule = .ask
  ) {
    part = .column(
      name, path, AttributeForm(.reference, isOptional: true), target: Target.self,
      isIndexed: true, formerly: formerly, rule)
  }
}

/// A to-many property: the objects whose to-one property refers to the owner.
public struct ToMany<Root: Entity>: Sendable {
  let part: SchemaPart

  /// Creates the to-many side of a to-one property.
  public init<Target: Entity>(
    _ name: String, _ path: any KeyPath<Root, Many<Target>> & Sendable,
    onDelete rule: DeleteRule = .nullify
  ) {
    let many = Root()[keyPath: path]
    part = SchemaPart(
      name: name,
      form: .toMany(
        ToManyRelation(
          name: name, target: Target.self, rule: rule, inverseOffset: many.inverseOffset,
          isOwn: many.owner == Root.self, through: nil)))
  }

  /// Explains in a compiler error how a to-many property is declared.
  @available(
    *, unavailable,
    message: """
      a to-many property is computed from the to-one property of the other side, \
      var cards: Many<Card> { Many(\\.deck) }
      """
  )
  public init<Element>(
    _ name: String, _ path: any KeyPath<Root, [Element]> & Sendable,
    onDelete rule: DeleteRule = .nullify
  ) { preconditionFailure("an array is no to-many property") }
}
