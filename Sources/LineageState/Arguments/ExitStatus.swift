/// The exit status of the program. A greater status is worse.
package enum ExitStatus: Int32, Comparable {
  case good = 0
  /// Something is damaged.
  case damaged = 1
  /// Something cannot be read or was written by a newer version, or the arguments are wrong.
  case unreadable = 2

  /// Returns whether one status is better (lower) than another.
  package static func < (one: ExitStatus, other: ExitStatus) -> Bool {
    one.rawValue < other.rawValue
  }
}
