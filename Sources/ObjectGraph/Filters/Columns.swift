/// The properties of an object, for use in filters, orders and figures.
///
/// ```swift
/// try context.fetch(Card.self, where: { $0.rightCount < 3 && $0.deck.name == "Sums" })
/// ```
///
/// Here `$0` is a `Columns<Card>`. It has a member for each property in the entity's schema. The
/// members have only those operators that a store can compute; other filters do not compile.
public struct Columns<Root: Entity>: RowColumns {
  /// The relations from the filtered object to itself. This is always an empty list.
  public let reach: ColumnReach

  package init(depth: Int = 0) { reach = ColumnReach(relations: [], depth: depth) }

  /// The entity that has the columns, which is the filtered entity.
  public typealias Target = Root
}

/// A type with the properties of the filtered object, or of an object to which it refers.
@dynamicMemberLookup
public protocol RowColumns<Root, Target> {
  /// The entity whose objects are filtered.
  associatedtype Root: Entity
  /// The entity that has the properties.
  associatedtype Target: Entity
  /// The relations from the filtered object to the object that has the properties.
  var reach: ColumnReach { get }
}

/// The relations that lead from the filtered object to a column.
public struct ColumnReach: Sendable, Hashable {
  package let relations: [String]
  /// The number of to-many closures that enclose the use of the column in a filter.
  package let depth: Int

  func property(_ name: String) -> PropertyPath { PropertyPath(relations: relations, name: name) }
}

extension RowColumns {
  /// The id of the object.
  public var id: IDColumn<Root, Target> { IDColumn(reach: reach) }

  /// An attribute of a type that a column can keep.
  public subscript<Value: AttributeValue>(
    dynamicMember path: WritableKeyPath<Target, Value>
  ) -> AttributeColumn<Root, Value> {
    AttributeColumn(reach, Target.column(at: path)) { .literal($0) }
  }

  /// A filter for objects whose Bool attribute is true, so that `$0.isDone` is a complete filter.
  ///
  /// The overload is disfavored, so that `$0.isDone == false` still uses the attribute. Rejected: a
  /// protocol that `&&`, `||`, `!` and the closures accept, because it made closures of many terms
  /// too difficult for the type checker.
  @_disfavoredOverload
  public subscript(dynamicMember path: WritableKeyPath<Target, Bool>) -> Filter<Root> {
    AttributeColumn<Root, Bool>(reach, Target.column(at: path)) { .literal($0) } == true
  }

  /// An enum attribute, compared by its raw value.
  public subscript<Value: RawRepresentable>(
    dynamicMember path: WritableKeyPath<Target, Value>
  ) -> AttributeColumn<Root, Value> where Value.RawValue: AttributeValue {
    AttributeColumn(reach, Target.column(at: path)) { .literal($0.rawValue) }
  }

  /// An optional enum attribute, compared by its raw value.
  public subscript<Value: RawRepresentable>(
    dynamicMember path: WritableKeyPath<Target, Value?>
  ) -> AttributeColumn<Root, Value?> where Value.RawValue: AttributeValue {
    AttributeColumn(reach, Target.column(at: path)) { $0.map { .literal($0.rawValue) } ?? .null }
  }

  /// A to-one property. It has the columns of the object to which it refers.
  public subscript<Other: Entity>(
    dynamicMember path: WritableKeyPath<Target, Ref<Other>?>
  ) -> ToOneColumn<Root, Other> {
    ToOneColumn(from: reach, name: Target.column(at: path))
  }

  /// A to-many property. A filter can test its objects or their number.
  public subscript<Other: Entity>(
    dynamicMember path: KeyPath<Target, Many<Other>>
  ) -> ToManyColumn<Root, Other> {
    ToManyColumn(from: reach, name: Target.toMany(at: path))
  }

  /// A many-to-many property. A filter can test its objects or their number.
  public subscript<Link: Entity, Other: Entity>(
    dynamicMember path: KeyPath<Target, Through<Link, Other>>
  ) -> ThroughColumn<Root, Link, Other> {
    ThroughColumn(from: reach, path)
  }

  /// An optional Codable value stored as JSON. It can only be compared with nil.
  @_disfavoredOverload
  public subscript<Value: Codable>(
    dynamicMember path: WritableKeyPath<Target, Value?>
  ) -> JSONColumn<Root> {
    JSONColumn(reach: reach, name: Target.column(at: path))
  }
}
