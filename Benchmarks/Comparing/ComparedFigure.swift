/// A figure of a case in the runs of commit A and in the runs of commit B.
package struct ComparedFigure {
  let name: FigureName
  package let a: Side
  package let b: Side
  /// Whether the compared figure is the ratio to the baseline, not the median.
  let isRatio: Bool
  /// Whether the figure is the divisor of other figures of the case. If it is, the verdict is
  /// `baseline`.
  let isBaseline: Bool

  /// The values of the figure in the runs of one commit.
  package struct Side {
    /// The statistics of the figure over the runs that contain it.
    let values: Statistics
    /// The smallest sample of the figure in all runs.
    package let fastest: Double
  }

  package enum Verdict {
    case slower, faster, same
    /// The figures cannot be compared because one of them is not above zero.
    case unknown
    case baseline
  }

  /// The median of B minus the median of A, as a fraction of A's median.
  var change: Double { b.values.median / a.values.median - 1 }

  /// The largest value of A minus the smallest value of A, as a fraction of A's median.
  var spread: Double { (a.values.maximum - a.values.minimum) / a.values.median }

  /// The fastest sample of B minus the fastest sample of A, as a fraction of A's fastest sample.
  package var changeOfFastest: Double { b.fastest / a.fastest - 1 }

  package var verdict: Verdict {
    if isBaseline { return .baseline }
    guard a.values.minimum > 0, b.values.minimum > 0, change.isFinite, spread.isFinite else {
      return .unknown
    }
    let least = max(Comparison.threshold, spread) + Self.rounding
    if change > least { return .slower }
    return -change > least ? .faster : .same
  }

  /// The allowed rounding error, as a fraction. With it, a change of exactly the threshold never
  /// counts as more than the threshold.
  private static let rounding = 1e-9
}
