// These functions compute figures of properties that may be nil. An object whose property is nil
// does not count.

extension ObjectContext {
  /// Returns the sum of a property over the objects that meet a filter; zero if no such object has
  /// a value.
  ///
  /// - Throws: An error if the sum exceeds the range of the property's type.
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func sum<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Number {
    try figure(.sum(property(Columns()).path), Filter(filter)) ?? .zero
  }

  /// Returns the sum of a property over the objects that meet the given filter, or over all objects
  /// if there is no filter. Returns zero if no such object has a value.
  ///
  /// - Throws: An error if the sum exceeds the range of the property's type.
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func sum<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number?>,
    filter: Filter<Value>? = nil
  ) throws -> Number {
    try figure(.sum(property(Columns()).path), filter) ?? .zero
  }

  /// Returns the least value of a property over the objects that meet a filter; nil if no such
  /// object has a value.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func minimum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Member? {
    try figure(.minimum(property(Columns()).path), Filter(filter))
  }

  /// Returns the least value of a property over the objects that meet the given filter, or over all
  /// objects if there is no filter. Returns nil if no such object has a value.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func minimum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member?>,
    filter: Filter<Value>? = nil
  ) throws -> Member? {
    try figure(.minimum(property(Columns()).path), filter)
  }

  /// Returns the greatest value of a property over the objects that meet a filter; nil if no such
  /// object has a value.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func maximum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Member? {
    try figure(.maximum(property(Columns()).path), Filter(filter))
  }

  /// Returns the greatest value of a property over the objects that meet the given filter, or over
  /// all objects if there is no filter. Returns nil if no such object has a value.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func maximum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member?>,
    filter: Filter<Value>? = nil
  ) throws -> Member? {
    try figure(.maximum(property(Columns()).path), filter)
  }

  /// Returns the mean of a property over the objects that meet a filter; nil if no such object has
  /// a value.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func average<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Double? {
    try figure(.average(property(Columns()).path), Filter(filter))
  }

  /// Returns the mean of a property over the objects that meet the given filter, or over all
  /// objects if there is no filter. Returns nil if no such object has a value.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func average<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number?>,
    filter: Filter<Value>? = nil
  ) throws -> Double? {
    try figure(.average(property(Columns()).path), filter)
  }
}
