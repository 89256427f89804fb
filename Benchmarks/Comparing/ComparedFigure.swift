/// A figure of a case in the runs of commit A and in the runs of commit B.
struct ComparedFigure {
  let name: FigureName
  let a: Side
  let b: Side
  /// Whether the compared figure is the ratio to the baseline, not the median.
  let isRatio: Bool
  /// Whether the figure is the divisor of other figures of the case. It is not judged then.
  let isBaseline: Bool

  /// The values of the figure in the runs of one commit.
  struct Side {
    /// The statistics of the figure over the runs that have it.
    let values: Statistics
    /// The smallest sample of all runs.
    let fastest: Double
  }

  enum Verdict {
    case slower, faster, same
    /// The figures cannot be compared because one of them is not above zero.
    case unknown
    case baseline
  }

  /// The difference of the medians of B and A, as a fraction of A's median.
  var change: Double { b.values.median / a.values.median - 1 }

  /// The difference of the largest and the smallest figure of A, as a fraction of A's median.
  var spread: Double { (a.values.maximum - a.values.minimum) / a.values.median }

  /// The difference of the fastest samples of B and A, as a fraction of A's fastest sample.
  var changeOfFastest: Double { b.fastest / a.fastest - 1 }

  var verdict: Verdict {
    if isBaseline { return .baseline }
    guard a.values.minimum > 0, b.values.minimum > 0, change.isFinite, spread.isFinite else {
      return .unknown
    }
    let least = max(Comparison.threshold, spread) + Self.rounding
    if change > least { return .slower }
    return -change > least ? .faster : .same
  }

  /// The allowed error of the arithmetic as a fraction, so that exactly 5 % never counts as more.
  private static let rounding = 1e-9
}
