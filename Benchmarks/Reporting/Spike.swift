/// A place where a curve stands out: a peak, or a step that is steeper than proportional.
enum Spike: Equatable {
  /// The cost of the point is `factor` times that of its costlier neighbour.
  case peak(Curve.Point, factor: Double)
  /// The cost grows by a larger factor than the parameter from one point to the next.
  case step(from: Curve.Point, to: Curve.Point)

  /// The smallest `factor` of a peak.
  static let leastPeak = 1.3
  /// The smallest ratio of a step's factor of cost to its factor of the parameter.
  static let leastStep = 1.5

  /// Returns the spikes of a curve, in ascending order of the parameter. The step up to a peak is
  /// not reported in addition to the peak.
  static func all(in points: [Curve.Point]) -> [Spike] {
    points.indices.dropFirst().compactMap { index in
      let (before, here) = (points[index - 1], points[index])
      guard before.x > 0, before.y > 0 else { return nil }
      if index + 1 < points.endIndex {
        let factor = here.y / max(before.y, points[index + 1].y)
        if factor >= leastPeak { return .peak(here, factor: factor) }
      }
      let isStep = here.y / before.y >= leastStep * here.x / before.x
      return isStep ? .step(from: before, to: here) : nil
    }
  }
}
