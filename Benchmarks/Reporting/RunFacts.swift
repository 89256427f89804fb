import Foundation

/// The facts about a run that its result files contain.
package struct RunFacts {
  var machine: Machine
  /// The commit of the sources; nil if it is not known.
  let commit: String?
  /// The day of the run, as year, month and day.
  let date: String
  let seed: UInt64
  let effort: Effort

  /// Returns the facts about a run that begins now.
  package static func current(seed: UInt64, effort: Effort) -> RunFacts {
    RunFacts(
      machine: .current, commit: Checkout.commit,
      date: Date.now.formatted(.iso8601.year().month().day()), seed: seed, effort: effort)
  }
}
