public import Foundation

// The mean of decimals is a decimal. One that is asked for as a Double is an error of the call, because
// the compiler prefers these functions only where it is free to choose.

extension ObjectContext {
  /// The mean of a property's values, rounded to 38 digits, a half to the even neighbour; nil if there
  /// are none.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), Filter(filter))
  }

  /// The mean of a property's values over a stored filter's objects, or all, rounded to 38 digits, a
  /// half to the even neighbour; nil if there are none.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal>,
    filter: Filter<Value>? = nil
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), filter)
  }

  /// The mean of a property's values, rounded to 38 digits, a half to the even neighbour; nil if none
  /// has a value.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), Filter(filter))
  }

  /// The mean of a property's values over a stored filter's objects, or all, rounded to 38 digits, a
  /// half to the even neighbour; nil if none has a value.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal?>,
    filter: Filter<Value>? = nil
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), filter)
  }
}
