/// The minimum, the maximum and some quantiles of one subject's samples.
package struct Statistics: Equatable {
  let minimum: Double
  let median: Double
  let p90: Double
  let p99: Double
  let maximum: Double
  let count: Int

  /// Creates the statistics of the samples.
  ///
  /// - Precondition: There is at least one sample.
  package init(_ samples: [Double]) {
    precondition(!samples.isEmpty, "No samples, no statistics")
    let sorted = samples.sorted()
    minimum = sorted[0]
    median = Self.quantile(0.5, of: sorted)
    p90 = Self.quantile(0.9, of: sorted)
    p99 = Self.quantile(0.99, of: sorted)
    maximum = sorted[sorted.count - 1]
    count = sorted.count
  }

  /// Returns the figure that a bar limits.
  func figure(_ statistic: Bar.Statistic) -> Double {
    switch statistic {
    case .minimum: minimum
    case .median: median
    case .p99: p99
    }
  }

  /// Returns the value below which the given share of the sorted samples lies. It is interpolated
  /// between the two nearest samples.
  static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    let position = share * Double(sorted.count - 1)
    let lower = Int(position)
    let upper = min(lower + 1, sorted.count - 1)
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
  }

  /// Returns the median divided by the baseline; zero if the baseline is zero. A smaller ratio is
  /// better.
  static func ratio(_ median: Double, to baseline: Double) -> Double {
    baseline > 0 ? median / baseline : 0
  }
}
