/// One figure over the runs of A and over those of B.
struct ComparedFigure {
  let name: FigureName
  let a: Side
  let b: Side
  /// Whether the compared figure is the ratio to the baseline, not the median.
  let isRatio: Bool
  /// Whether others of the case are divided by the figure, so that it is not judged.
  let isBaseline: Bool

  /// The runs of one commit.
  struct Side {
    /// The figure in each run that has it.
    let values: Statistics
    /// The fastest sample of all runs.
    let fastest: Double
  }

  enum Verdict {
    case slower, faster, same
    /// Nothing can be said, because a figure is not above zero.
    case unknown
    case baseline
  }

  /// The difference of the medians of B and A, as a share of the latter.
  var change: Double { b.values.median / a.values.median - 1 }

  /// The difference of the largest and the smallest figure of A, as a share of its median.
  var spread: Double { (a.values.maximum - a.values.minimum) / a.values.median }

  /// The difference of the fastest samples of B and A, as a share of the latter.
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

  /// The error of the arithmetic, so that 5 % is not more than 5 %.
  private static let rounding = 1e-9
}
