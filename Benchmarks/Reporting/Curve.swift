/// A namespace for the points of a curve. A curve is an array of points in ascending order of `x`,
/// which is a parameter; `y` is the cost of a subject.
enum Curve {
  struct Point: Equatable {
    let x: Double
    let y: Double
  }
}

extension [Curve.Point] {
  /// Returns the cost at `x`, interpolated between the two nearest measured points; nil outside the
  /// measured range.
  func value(at x: Double) -> Double? {
    guard let after = firstIndex(where: { $0.x >= x }) else { return nil }
    guard after > 0 else { return self[0].x == x ? self[0].y : nil }
    let (left, right) = (self[after - 1], self[after])
    return left.y + (right.y - left.y) * (x - left.x) / (right.x - left.x)
  }
}
