/// The level of effort of a run. It decides which cases are measured, and by how many samples.
package enum Effort: Int, Comparable {
  case quick, standard, full

  var samples: Int {
    switch self {
    case .quick: 5
    case .standard: 30
    case .full: 60
    }
  }

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
