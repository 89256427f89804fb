/// An upper limit for one figure of a case.
///
/// The figure is a subject's median or 99th percentile, or the ratio of two medians or minima. A smaller
/// figure is better. So “weak recursion takes at least 15 times as long as the library” is
/// expressed as a limit of 1/15 for the library's ratio.
package struct Bar: Equatable {
  let subject: String
  let reference: Reference
  let statistic: Statistic
  /// The name of the secondary result whose figure is limited; nil for the result of the case
  /// itself.
  let besides: String?
  /// The largest allowed ratio, or the largest allowed figure in the case's unit.
  let limit: Double

  /// The reason why the bar is not reached, if that is known. It is told only if the bar is missed.
  package var reason: String?

  /// The divisor of the subject's figure, if the bar limits a ratio.
  package enum Reference: Equatable {
    case none
    /// The figure of another subject in the same case.
    case subject(String)
    /// The figure of the same subject in another case, in which the parameter has the given value.
    case parameter(Parameter)
  }

  /// The limited statistic of a measurement.
  package enum Statistic {
    case minimum, median, p99
  }
}

extension Bar {
  /// Limits a subject's median, in the case's unit.
  package static func median(of subject: String, atMost limit: Double) -> Bar {
    Bar(subject: subject, reference: .none, statistic: .median, besides: nil, limit: limit)
  }

  /// Limits the 99th percentile of a secondary result of the case, in the case's unit.
  package static func p99(of besides: String, by subject: String, atMost limit: Double) -> Bar {
    Bar(subject: subject, reference: .none, statistic: .p99, besides: besides, limit: limit)
  }

  /// Limits the ratio of two subjects' medians.
  package static func ratio(of subject: String, to other: String, atMost limit: Double) -> Bar {
    Bar(
      subject: subject, reference: .subject(other), statistic: .median, besides: nil, limit: limit)
  }

  /// Limits the ratio of two subjects' least samples, which other processes disturb least.
  package static func leastRatio(of subject: String, to other: String, atMost limit: Double) -> Bar
  {
    Bar(
      subject: subject, reference: .subject(other), statistic: .minimum, besides: nil, limit: limit)
  }

  /// Returns the bar with the reason why it is not reached.
  package func because(_ reason: String?) -> Bar {
    var bar = self
    bar.reason = reason
    return bar
  }

  /// Limits the ratio of a subject's medians in two cases that differ in one parameter.
  package static func ratio(of subject: String, to other: Parameter, atMost limit: Double) -> Bar {
    Bar(
      subject: subject, reference: .parameter(other), statistic: .median, besides: nil,
      limit: limit)
  }
}
