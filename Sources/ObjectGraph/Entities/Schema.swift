/// The names and forms under which a store keeps an entity's properties.
///
/// A mistake in a schema (a property forgotten, or named twice) is thrown by whoever uses it first:
/// a store that opens, a context that inserts. All mistakes are told at once.
public struct Schema<Root: Entity>: Sendable {
  package let layout: Layout

  /// Each stored property of `Root` once, each to-many property once.
  public init(_ name: String, @SchemaBuilder<Root> _ parts: () -> [SchemaPart]) {
    layout = Layout(name, Root.self, parts())
  }
}

/// Collects the parts of a schema.
@resultBuilder
public enum SchemaBuilder<Root: Entity> {
  /// Takes an attribute.
  public static func buildExpression(_ part: Attribute<Root>) -> SchemaPart { part.part }
  /// Takes a to-one property.
  public static func buildExpression(_ part: ToOne<Root>) -> SchemaPart { part.part }
  /// Takes a to-many property.
  public static func buildExpression(_ part: ToMany<Root>) -> SchemaPart { part.part }
  /// The parts in the order they are written.
  public static func buildBlock(_ parts: SchemaPart...) -> [SchemaPart] { parts }
}

/// One line of a schema.
public struct SchemaPart: Sendable {
  enum Form: Sendable {
    case column(Column, hasPlace: Bool, isNested: Bool)
    case toMany(ToManyDeclaration)
  }
  let name: String
  let form: Form
}

struct ToManyDeclaration: Sendable {
  let name: String
  let target: any Entity.Type
  let inverseOffset: Int?
  let rule: DeleteRule
  let isOwn: Bool
}

/// The effect on the objects of a to-many property when their owner is deleted.
public enum DeleteRule: String, Sendable, Codable {
  /// They stay, and refer to nobody.
  case nullify
  /// They are deleted too.
  case cascade
  /// The owner cannot be deleted while there are any.
  case deny
}

/// A to-one property: a `Ref` to an object that may be there or not.
public struct ToOne<Root: Entity>: Sendable {
  let part: SchemaPart

  /// A property that refers to an object of another, or the same, entity.
  public init<Target: Entity>(
    _ name: String, _ path: any WritableKeyPath<Root, Ref<Target>?> & Sendable,
    formerly: String? = nil
  ) {
    part = .column(
      name, path, AttributeForm(.reference, isOptional: true), target: Target.self,
      isIndexed: true, formerly: formerly)
  }
}

/// A to-many property: those objects whose to-one property refers here.
public struct ToMany<Root: Entity>: Sendable {
  let part: SchemaPart

  /// The other side of a to-one property.
  public init<Target: Entity>(
    _ name: String, _ path: any KeyPath<Root, Many<Target>> & Sendable,
    onDelete rule: DeleteRule = .nullify
  ) {
    let many = Root()[keyPath: path]
    part = SchemaPart(
      name: name,
      form: .toMany(
        ToManyDeclaration(
          name: name, target: Target.self, inverseOffset: many.inverseOffset, rule: rule,
          isOwn: many.owner == Root.self)))
  }
}
