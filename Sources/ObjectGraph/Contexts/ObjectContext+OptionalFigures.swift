// The same of properties that may be nil: those that are do not count.

extension ObjectContext {
  /// The sum of a property over the objects that a filter admits; zero if none has a value.
  ///
  /// - Throws: if the sum of integers is more than the property's type holds.
  public func sum<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Number {
    try figure(.sum(property(Columns()).path), Filter(filter)) ?? .zero
  }

  /// The sum of a property over the objects that a stored filter admits, or over all; zero if
  /// none has a value.
  ///
  /// - Throws: if the sum of integers is more than the property's type holds.
  public func sum<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number?>,
    filter: Filter<Value>? = nil
  ) throws -> Number {
    try figure(.sum(property(Columns()).path), filter) ?? .zero
  }

  /// The least of a property's values; nil if there are none.
  public func minimum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Member? {
    try figure(.minimum(property(Columns()).path), Filter(filter))
  }

  /// The least of a property's values over a stored filter's objects, or all; nil if there are none.
  public func minimum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member?>,
    filter: Filter<Value>? = nil
  ) throws -> Member? {
    try figure(.minimum(property(Columns()).path), filter)
  }

  /// The greatest of a property's values; nil if there are none.
  public func maximum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Member? {
    try figure(.maximum(property(Columns()).path), Filter(filter))
  }

  /// The greatest of a property's values over a stored filter's objects, or all; nil if there are
  /// none.
  public func maximum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member?>,
    filter: Filter<Value>? = nil
  ) throws -> Member? {
    try figure(.maximum(property(Columns()).path), filter)
  }

  /// The mean of a property's values; nil if there are none.
  public func average<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Double? {
    try figure(.average(property(Columns()).path), Filter(filter))
  }

  /// The mean of a property's values over a stored filter's objects, or all; nil if there are none.
  public func average<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number?>,
    filter: Filter<Value>? = nil
  ) throws -> Double? {
    try figure(.average(property(Columns()).path), filter)
  }
}
