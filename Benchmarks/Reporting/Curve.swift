/// A subject's cost by one parameter is an array of these, ascending by it.
enum Curve {
  struct Point: Equatable {
    let x: Double
    let y: Double
  }
}

extension [Curve.Point] {
  /// The cost between the measured points, on the straight line that joins them.
  func value(at x: Double) -> Double? {
    guard let after = firstIndex(where: { $0.x >= x }) else { return nil }
    guard after > 0 else { return self[0].x == x ? self[0].y : nil }
    let (left, right) = (self[after - 1], self[after])
    return left.y + (right.y - left.y) * (x - left.x) / (right.x - left.x)
  }
}
