/// The number of lookups per change above which one subject is cheaper than another.
enum BreakEven: Equatable {
  /// The first subject costs less at the largest measured number of lookups, and never costs more.
  case always
  /// The first subject does not cost less at the largest measured number of lookups.
  case never
  /// The first subject is cheaper above this number of lookups.
  case at(Double)

  /// The difference up to which two costs count as equal, as a fraction of the second subject's
  /// cost.
  static let noise = 0.03

  /// Creates the break-even: the number of lookups above which the curve `first` stays below the
  /// curve `second`.
  ///
  /// The result is nil if the curves are empty, or if their numbers of lookups differ. The numbers
  /// must ascend. Between two measured numbers a curve is a straight line, because the cost is the
  /// sum of one change and some lookups. Noise can make the curves cross several times, and then
  /// the last crossing counts. A difference within `noise` counts as none.
  init?(of first: [Curve.Point], over second: [Curve.Point]) {
    guard let last = second.last, first.map(\.x) == second.map(\.x) else { return nil }
    let leads = zip(first, second).map { $1.y - $0.y }
    guard let lead = leads.last, lead > Self.noise * last.y else {
      self = .never
      return
    }
    let isEverBehind = zip(leads, second).contains { $0 < -Self.noise * $1.y }
    guard isEverBehind, let behind = leads.lastIndex(where: { $0 <= 0 }) else {
      self = .always
      return
    }
    let share = -leads[behind] / (leads[behind + 1] - leads[behind])
    self = .at(first[behind].x + share * (first[behind + 1].x - first[behind].x))
  }
}

/// The break-even of two subjects at one size and depth of the `churn` case.
struct BreakEvenFinding {
  let winner: String
  let loser: String
  let nodes: Int
  let depth: Int
  let breakEven: BreakEven

  /// The finding as a sentence without the size and the depth, for a chart that shows both anyway.
  var sentence: String {
    switch breakEven {
    case .at(let lookups):
      "\(winner) overtakes \(loser) at \(lookups.formatted(digits: 2)) lookups.".capitalisedFirst
    case .always: "\(winner) is never behind \(loser).".capitalisedFirst
    case .never: "\(winner) never overtakes \(loser) here.".capitalisedFirst
    }
  }

  /// The pairs of subjects for which break-evens are reported. The first subject of a pair is
  /// cheaper if there are many lookups.
  static let pairs = [
    ("hand-written push", "skipping"), ("baton", "skipping"), ("baton", "chain"),
    ("skipping", "chain"),
  ]

  static func all(in measurements: [Measurement]) -> [BreakEvenFinding] {
    let churn = measurements.of("churn")
    return churn.numbers(of: "nodes").flatMap { nodes in
      churn.numbers(of: "depth").flatMap { depth in
        let here = churn.of("churn", Parameter("nodes", nodes), Parameter("depth", depth))
        return pairs.compactMap { winner, loser -> BreakEvenFinding? in
          let (first, second) = (
            here.curve(of: winner, by: "lookups"), here.curve(of: loser, by: "lookups")
          )
          return BreakEven(of: first, over: second).map {
            BreakEvenFinding(
              winner: winner, loser: loser, nodes: nodes, depth: depth, breakEven: $0)
          }
        }
      }
    }
  }
}

extension String {
  /// The text with its first letter as a capital, for the beginning of a sentence.
  fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
