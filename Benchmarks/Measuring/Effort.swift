/// How much of everything is measured.
enum Effort: Int, Comparable {
  case quick, standard, full

  var samples: Int {
    switch self {
    case .quick: 5
    case .standard: 30
    case .full: 60
    }
  }

  static func < (left: Effort, right: Effort) -> Bool { left.rawValue < right.rawValue }
}
