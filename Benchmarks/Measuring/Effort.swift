/// The level of effort of a run. It decides which cases are measured, and by how many samples.
///
/// A case whose samples take long has fewer of them in a default run, but never fewer than
/// ``leastSamples``: after that, the case ends when it has taken ``caseTime``.
package enum Effort: Int, Comparable {
  case quick, standard, full

  var samples: Int {
    switch self {
    case .quick: 5
    case .standard: 30
    case .full: 60
    }
  }

  /// The number of samples of each subject that a case has in any event.
  var leastSamples: Int { self == .standard ? 15 : samples }

  /// The time, in nanoseconds, after which a case takes no more samples than ``leastSamples``.
  var caseTime: Double { 3.5e9 }

  /// The name of the option that selects the effort, without dashes. The effort named “default”
  /// needs no option.
  var name: String {
    switch self {
    case .quick: "quick"
    case .standard: "default"
    case .full: "full"
    }
  }

  package static func < (left: Effort, right: Effort) -> Bool { left.rawValue < right.rawValue }
}
