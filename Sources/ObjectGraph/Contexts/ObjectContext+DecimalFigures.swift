public import Foundation

// The mean of a `Decimal` property is a `Decimal`. If the caller needs a `Double`, the call still
// compiles, because the generic `average` accepts a `Decimal` property too. Such a call throws.

extension ObjectContext {
  /// Returns the mean of a property over the objects that meet a filter; nil if there is no such
  /// object. The mean is rounded to 38 digits; a half is rounded to the even digit.
  ///
  /// - Throws: An error if no `Decimal` can represent the mean.
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), Filter(filter))
  }

  /// Returns the mean of a property over the objects that meet the given filter, or over all
  /// objects if there is no filter. Returns nil if there is no such object. The mean is rounded to
  /// 38 digits; a half is rounded to the even digit.
  ///
  /// - Throws: An error if no `Decimal` can represent the mean.
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal>,
    filter: Filter<Value>? = nil
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), filter)
  }

  /// Returns the mean of a property over the objects that meet a filter; nil if no such object has
  /// a value. The mean is rounded to 38 digits; a half is rounded to the even digit.
  ///
  /// - Throws: An error if no `Decimal` can represent the mean.
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal?>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), Filter(filter))
  }

  /// Returns the mean of a property over the objects that meet the given filter, or over all
  /// objects if there is no filter. Returns nil if no such object has a value. The mean is rounded
  /// to 38 digits; a half is rounded to the even digit.
  ///
  /// - Throws: An error if no `Decimal` can represent the mean.
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func average<Value: Entity>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Decimal?>,
    filter: Filter<Value>? = nil
  ) throws -> Decimal? {
    try figure(.average(property(Columns()).path), filter)
  }
}
