/// The properties of one object, as a filter, an order or a figure names them.
///
/// ```swift
/// try context.fetch(Card.self, where: { $0.rightCount < 3 && $0.deck.name == "Sums" })
/// ```
///
/// Here `$0` is a `Columns<Card>`. Only what the entity's schema can name has a member, and only
/// what a store can compute has an operator: other filters do not compile.
public struct Columns<Root: Entity>: RowColumns {
  /// The object itself, reached through nothing.
  public let reach: ColumnReach

  package init(depth: Int = 0) { reach = ColumnReach(relations: [], depth: depth) }

  /// The object itself has the columns.
  public typealias Target = Root
}

/// Whatever has the properties of an object: the filtered object, or one that it refers to.
@dynamicMemberLookup
public protocol RowColumns<Root, Target> {
  /// The entity that is filtered.
  associatedtype Root: Entity
  /// The entity that has the properties.
  associatedtype Target: Entity
  /// The relations from the one to the other.
  var reach: ColumnReach { get }
}

/// The relations through which a column is reached.
public struct ColumnReach: Sendable, Hashable {
  package let relations: [String]
  /// How many to-many closures surround the object's own.
  package let depth: Int

  func property(_ name: String) -> PropertyPath { PropertyPath(relations: relations, name: name) }
}

extension RowColumns {
  /// The object's own id.
  public var id: IDColumn<Root, Target> { IDColumn(reach: reach) }

  /// A plain attribute.
  public subscript<Value: AttributeValue>(
    dynamicMember path: WritableKeyPath<Target, Value>
  ) -> AttributeColumn<Root, Value> {
    AttributeColumn(reach, Target.column(at: path)) { .literal($0) }
  }

  /// A Bool as a filter by itself: whether it is true.
  @_disfavoredOverload
  public subscript(dynamicMember path: WritableKeyPath<Target, Bool>) -> Filter<Root> {
    AttributeColumn<Root, Bool>(reach, Target.column(at: path)) { .literal($0) } == true
  }

  /// An enum, compared by its raw value.
  public subscript<Value: RawRepresentable>(
    dynamicMember path: WritableKeyPath<Target, Value>
  ) -> AttributeColumn<Root, Value> where Value.RawValue: AttributeValue {
    AttributeColumn(reach, Target.column(at: path)) { .literal($0.rawValue) }
  }

  /// An optional enum, compared by its raw value.
  public subscript<Value: RawRepresentable>(
    dynamicMember path: WritableKeyPath<Target, Value?>
  ) -> AttributeColumn<Root, Value?> where Value.RawValue: AttributeValue {
    AttributeColumn(reach, Target.column(at: path)) { $0.map { .literal($0.rawValue) } ?? .null }
  }

  /// A to-one property, with the columns of whom it refers to.
  public subscript<Other: Entity>(
    dynamicMember path: WritableKeyPath<Target, Ref<Other>?>
  ) -> ToOneColumn<Root, Other> {
    ToOneColumn(from: reach, name: Target.column(at: path))
  }

  /// A to-many property.
  public subscript<Other: Entity>(
    dynamicMember path: KeyPath<Target, Many<Other>>
  ) -> ToManyColumn<Root, Other> {
    ToManyColumn(from: reach, name: Target.toMany(at: path))
  }

  /// An optional Codable value kept as JSON, which is compared with nil only.
  @_disfavoredOverload
  public subscript<Value: Codable>(
    dynamicMember path: WritableKeyPath<Target, Value?>
  ) -> JSONColumn<Root> {
    JSONColumn(reach: reach, name: Target.column(at: path))
  }

  /// A Codable value kept as JSON that is always there, with which nothing can be compared.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      a property that is not optional is never nil, and one kept as json: can be compared with \
      nothing else; keep what is looked for in an attribute of its own
      """
  )
  public subscript<Value: Codable>(
    dynamicMember path: WritableKeyPath<Target, Value>
  ) -> JSONColumn<Root> {
    JSONColumn(reach: reach, name: Target.column(at: path))
  }
}
