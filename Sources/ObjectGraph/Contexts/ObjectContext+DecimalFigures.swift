public import Foundation

// The mean of decimals is a `Decimal`. A call that needs a `Double` still compiles, but throws: the
// compiler prefers these functions only where it is free to choose.

extension ObjectContext {
  /// Returns the mean of a property over the objects that meet a filter; nil if there are none. It
  /// is rounded to 38 digits, and from a half to the even neighbour.
  ///
  /// - Throws: An error if no `Decimal` can represent the mean.
  /// - Complexity: One query of the store. If unsaved changes may affect it, all its objects are
  ///   fetched.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), Filter(filter))
  }

  /// Returns the mean of a property over the objects that meet a stored filter, or over all; nil if
  /// there are none. It is rounded to 38 digits, and from a half to the even neighbour.
  ///
  /// - Throws: An error if no `Decimal` can represent the mean.
  /// - Complexity: One query of the store. If unsaved changes may affect it, all its objects are
  ///   fetched.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal>,
    filter: Filter<Value>? = nil
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), filter)
  }

  /// Returns the mean of a property over the objects that meet a filter; nil if none has a value.
  /// It is rounded to 38 digits, and from a half to the even neighbour.
  ///
  /// - Throws: An error if no `Decimal` can represent the mean.
  /// - Complexity: One query of the store. If unsaved changes may affect it, all its objects are
  ///   fetched.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), Filter(filter))
  }

  /// Returns the mean of a property over the objects that meet a stored filter, or over all; nil if
  /// none has a value. It is rounded to 38 digits, and from a half to the even neighbour.
  ///
  /// - Throws: An error if no `Decimal` can represent the mean.
  /// - Complexity: One query of the store. If unsaved changes may affect it, all its objects are
  ///   fetched.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal?>,
    filter: Filter<Value>? = nil
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), filter)
  }
}
