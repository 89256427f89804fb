extension AttributeColumn where Value: AttributeValue & Comparable {
  /// Whether the attribute is in the range, by the store's order.
  public func isIn(_ range: Range<Value>) -> Filter<Root> {
    compare(.greaterOrEqual, range.lowerBound) && compare(.less, range.upperBound)
  }

  /// Whether the attribute is in the range, by the store's order.
  public func isIn(_ range: ClosedRange<Value>) -> Filter<Root> {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }
}

extension AttributeColumn {
  /// Whether the attribute has a value in the range, by the store's order.
  public func isIn<Wrapped: AttributeValue & Comparable>(_ range: Range<Wrapped>) -> Filter<Root>
  where Value == Wrapped? {
    compare(.greaterOrEqual, range.lowerBound) && compare(.less, range.upperBound)
  }

  /// Whether the attribute has a value in the range, by the store's order.
  public func isIn<Wrapped: AttributeValue & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Filter<Root> where Value == Wrapped? {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }
}
