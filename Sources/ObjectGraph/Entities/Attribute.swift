import Foundation

/// A property that a store keeps in a column.
///
/// An attribute that is declared with `inState: false`, such as a password, is never written into
/// archived state. If the process ends before a save, unsaved edits of the attribute are lost. In an
/// object that comes back from archived state as a new one, the attribute has its initial value.
public struct Attribute<Root: Entity>: Sendable {
  let part: SchemaPart

  /// Creates an attribute whose type conforms to ``AttributeValue``, such as `String` or `Int?`.
  public init<Value: AttributeValue>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
    unique: Bool = false, indexed: Bool = false, formerly: String? = nil,
    onConflict rule: ConflictRule = .ask, inState: Bool = true
  ) {
    part = .column(
      name, path, as: Value.self, isUnique: unique, isIndexed: indexed, formerly: formerly,
      rule, isInState: inState)
  }

  /// Creates an attribute of an enum, which a store keeps as its raw value.
  public init<Value: RawRepresentable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
    unique: Bool = false, indexed: Bool = false, formerly: String? = nil,
    onConflict rule: ConflictRule = .ask, inState: Bool = true
  ) where Value.RawValue: AttributeValue {
    part = .column(
      name, path, as: Value.RawValue.self, isUnique: unique, isIndexed: indexed,
      formerly: formerly, rule, codec: .raw(Value.self), isInState: inState)
  }

  /// Creates an attribute of an optional enum, which a store keeps as its raw value.
  public init<Value: RawRepresentable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable,
    unique: Bool = false, indexed: Bool = false, formerly: String? = nil,
    onConflict rule: ConflictRule = .ask, inState: Bool = true
  ) where Value.RawValue: AttributeValue {
    part = .column(
      name, path, as: Value.RawValue?.self,
      isUnique: unique, isIndexed: indexed, formerly: formerly, rule,
      codec: .rawOptional(Value.self), isInState: inState)
  }

  /// Creates an attribute of a Codable value, which a store keeps as JSON text. Filters can only
  /// compare the attribute with nil.
  public init<Value: Codable & Sendable>(
    _ name: String, json path: any WritableKeyPath<Root, Value> & Sendable,
    formerly: String? = nil, onConflict rule: ConflictRule = .ask, inState: Bool = true
  ) {
    part = .column(
      name, path,
      AttributeForm(.custom, isOptional: Value.self is any ExpressibleByNilLiteral.Type),
      formerly: formerly, rule, codec: .json(Value.self), isInState: inState)
  }

  /// Explains in a compiler error how a list of values is kept.
  @available(
    *, unavailable,
    message: """
      a list is kept as JSON, Attribute("tags", json: \\.tags), or is an entity of its own with a \
      ToMany("tags", \\.tags)
      """
  )
  public init<Element>(
    _ name: String, _ path: any WritableKeyPath<Root, [Element]> & Sendable,
    unique: Bool = false, indexed: Bool = false, formerly: String? = nil,
    onConflict rule: ConflictRule = .ask, inState: Bool = true
  ) { preconditionFailure("a list is no attribute") }
}

extension SchemaPart {
  /// Returns the part of an attribute that a column keeps as values of the type `Kept`.
  fileprivate static func column<Root: Entity, Value, Kept: AttributeValue>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, as _: Kept.Type,
    isUnique: Bool, isIndexed: Bool, formerly: String?, _ rule: ConflictRule,
    codec: ColumnCodec? = nil, isInState: Bool
  ) -> SchemaPart {
    let form = Kept.attributeForm
    return column(
      name, path, form, isUnique: isUnique, isIndexed: isIndexed, formerly: formerly, rule,
      codec: codec, isForged: !form.isNested && !form.describes(Kept.self), isInState: isInState)
  }

  static func column<Root: Entity, Value>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: AttributeForm,
    target: (any Entity.Type)? = nil, isUnique: Bool = false, isIndexed: Bool = false,
    formerly: String? = nil, _ rule: ConflictRule, codec: ColumnCodec? = nil,
    isForged: Bool = false, isInState: Bool = true
  ) -> SchemaPart {
    let offset = MemoryLayout<Root>.offset(of: path)
    let column = Column(
      name: name, formerly: formerly,
      field: Field(
        kind: codec == nil ? form.kind : .custom, isOptional: form.isOptional,
        offset: offset ?? 0, size: MemoryLayout<Value>.size),
      isUnique: isUnique, isIndexed: isIndexed, typeName: "\(Value.self)", target: target,
      codec: codec, kept: form.kind, conflictRule: rule, isInState: isInState)
    return SchemaPart(
      name: name,
      form: .column(
        column, hasPlace: offset != nil, isNested: form.isNested, isForged: isForged))
  }
}
