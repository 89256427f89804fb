extension AttributeColumn where Value: AttributeValue & Comparable {
  /// Returns a filter for objects whose attribute is in the range. Values are compared as in a
  /// store; see ``AttributeColumn``.
  public func isIn(_ range: Range<Value>) -> Filter<Root> {
    compare(.greaterOrEqual, range.lowerBound) && compare(.less, range.upperBound)
  }

  /// Returns a filter for objects whose attribute is in the range. Values are compared as in a
  /// store; see ``AttributeColumn``.
  public func isIn(_ range: ClosedRange<Value>) -> Filter<Root> {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }
}

extension AttributeColumn {
  /// Returns a filter for objects whose attribute is not nil and is in the range. Values are
  /// compared as in a store; see ``AttributeColumn``.
  public func isIn<Wrapped: AttributeValue & Comparable>(_ range: Range<Wrapped>) -> Filter<Root>
  where Value == Wrapped? {
    compare(.greaterOrEqual, range.lowerBound) && compare(.less, range.upperBound)
  }

  /// Returns a filter for objects whose attribute is not nil and is in the range. Values are
  /// compared as in a store; see ``AttributeColumn``.
  public func isIn<Wrapped: AttributeValue & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Filter<Root> where Value == Wrapped? {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }
}
