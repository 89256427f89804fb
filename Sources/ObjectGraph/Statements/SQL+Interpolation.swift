extension SQL {
  /// The text and the interpolations of an ``SQL``, from which the compiler makes the statement.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    private(set) var parts: [Part] = []

    /// Creates an interpolation without parts.
    public init(literalCapacity _: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    /// Adds text of the program.
    public mutating func appendLiteral(_ text: StaticString) {
      if text.utf8CodeUnitCount > 0 { parts.append(.text("\(text)")) }
    }

    // The parameters are optionals, because the compiler warns of an optional that is interpolated
    // for a generic parameter.

    /// Adds a parameter with a value of an attribute.
    public mutating func appendInterpolation<Value: AttributeValue>(_ value: Value?) {
      parts.append(.value(of: value))
    }

    /// Adds a parameter with the raw value of an enum.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value?)
    where Value.RawValue: AttributeValue {
      parts.append(.value(of: value?.rawValue))
    }

    /// Adds a parameter with the id in a reference.
    public mutating func appendInterpolation<Target: Entity>(_ ref: Ref<Target>?) {
      parts.append(.value(ref.map { .integer($0.key) } ?? .null))
    }

    /// Adds a parameter with the id of an object.
    public mutating func appendInterpolation<Value: Entity>(_ object: Object<Value>?) {
      parts.append(.value(object.map { .integer($0.key) } ?? .null))
    }

    /// Adds a list of parameters with values of attributes.
    public mutating func appendInterpolation<Value: AttributeValue>(_ values: [Value]) {
      parts.append(.values(of: values))
    }

    /// Adds a list of parameters with the raw values of enums.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ values: [Value])
    where Value.RawValue: AttributeValue {
      parts.append(.values(of: values.map(\.rawValue)))
    }

    /// Adds a list of parameters with the ids in references.
    public mutating func appendInterpolation<Target: Entity>(_ refs: [Ref<Target>]) {
      parts.append(.values(refs.map { .integer($0.key) }))
    }

    /// Adds a list of parameters with the ids of objects.
    public mutating func appendInterpolation<Value: Entity>(_ objects: [Object<Value>]) {
      parts.append(.values(objects.map { .integer($0.key) }))
    }

    /// Adds the quoted name of an entity's table.
    public mutating func appendInterpolation<Value: Entity>(_ type: Value.Type) {
      parts.append(.entity(type))
    }

    /// Adds the quoted name of the column of an attribute or a to-one property.
    public mutating func appendInterpolation<Value: Entity, Member>(
      _ path: KeyPath<Value, Member>
    ) {
      let layout = Value.layout
      if let column = layout.column(of: path) { return parts.append(.column(Value.self, column)) }
      let advice = "it is neither an attribute nor a to-one property"
      parts.append(
        .mistake(.request(entity: layout.name, property: "\(path)", advice)))
    }

    /// Adds another statement or a part of one.
    public mutating func appendInterpolation(_ sql: SQL) { parts += sql.parts }

    /// Explains in a compiler error how a statement contains a null.
    @available(*, unavailable, message: "write null in the text of the statement, as in 'is null'")
    public mutating func appendInterpolation(_: _OptionalNilComparisonType) {
      preconditionFailure("nil has no type")
    }
  }
}

extension SQL.Part {
  fileprivate static func value<Value: AttributeValue>(of value: Value) -> Self {
    do { return .value(try StoredValue(value)) } catch { return mistake(error) }
  }

  fileprivate static func values<Value: AttributeValue>(of values: [Value]) -> Self {
    do { return .values(try values.map { try StoredValue($0) }) } catch { return mistake(error) }
  }

  private static func mistake(_ error: any Error) -> Self {
    let message = (error as? ColumnFault)?.message ?? "\(error)"
    return .mistake(.statement("an interpolated value \(message)"))
  }
}
