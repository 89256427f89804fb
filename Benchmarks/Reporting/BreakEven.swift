/// From how many lookups per change on one subject is cheaper than another for good.
enum BreakEven: Equatable {
  /// The first is never behind at a measured number, and ahead at the largest.
  case always
  /// The first is not ahead even at the largest.
  case never
  /// The first becomes the cheaper one here.
  case at(Double)

  /// The share of the cost by which the winner has to lead in the end.
  static let noise = 0.03

  /// Where `first` falls below `second`, both by the same ascending numbers of lookups.
  ///
  /// The cost of a change with lookups is a sum of both, so it is a straight line between two
  /// neighbouring numbers. Of several crossings, which noise can make, the last one counts, and
  /// a difference that may be noise is none.
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

/// The break-even of two subjects in one kind of churn.
struct BreakEvenFinding {
  let winner: String
  let loser: String
  let nodes: Int
  let depth: Int
  let breakEven: BreakEven
  /// The numbers of lookups that were measured.
  let range: ClosedRange<Int>

  var sentence: String {
    let place = "for \(nodes.grouped) pushed responders at depth \(depth)"
    let span = "\(range.lowerBound.grouped) to \(range.upperBound.grouped) lookups"
    let sentence =
      switch breakEven {
      case .at(let lookups):
        "\(winner) overtakes \(loser) at \(lookups.formatted(digits: 2)) lookups per change \(place)."
      case .always: "\(winner) is never behind \(loser) from \(span) per change \(place)."
      case .never: "\(winner) does not overtake \(loser) within \(span) per change \(place)."
      }
    return sentence.capitalisedFirst
  }

  /// Without the place, for where it is known.
  var shortSentence: String {
    switch breakEven {
    case .at(let lookups):
      "\(winner) overtakes \(loser) at \(lookups.formatted(digits: 2)) lookups.".capitalisedFirst
    case .always: "\(winner) is never behind \(loser).".capitalisedFirst
    case .never: "\(winner) never overtakes \(loser) here.".capitalisedFirst
    }
  }

  /// What was found of one pair in every kind of churn, in one sentence.
  static func summary(of findings: [BreakEvenFinding]) -> String {
    guard let first = findings.first else { return "" }
    let crossings = findings.compactMap { one -> String? in
      guard case .at(let lookups) = one.breakEven else { return nil }
      return "\(lookups.formatted(digits: 2)) (\(one.nodes.grouped) pushed, depth \(one.depth))"
    }
    func count(_ outcome: BreakEven) -> Int { findings.count { $0.breakEven == outcome } }
    let places =
      crossings.isEmpty
      ? "nowhere on the way" : "at " + crossings.joined(separator: ", ")
    return """
      \(first.winner.capitalisedFirst) overtakes \(first.loser) \(places); of \(findings.count) \
      kinds of churn it is never behind in \(count(.always)) and never ahead in \(count(.never)).
      """
  }

  /// The pairs that a reader chooses between: who gains by many lookups comes first.
  static let pairs = [
    ("hand-written push", "skipping"), ("baton", "skipping"), ("baton", "chain"),
    ("skipping", "chain"),
  ]

  static func all(in measurements: [Measurement]) -> [BreakEvenFinding] {
    let churn = measurements.of("churn")
    return churn.numbers(of: "nodes").flatMap { nodes in
      churn.numbers(of: "depth").flatMap { depth in
        let here = churn.of("churn", Parameter("nodes", nodes), Parameter("depth", depth))
        let lookups = here.numbers(of: "lookups")
        return pairs.compactMap { winner, loser -> BreakEvenFinding? in
          guard let least = lookups.first, let most = lookups.last,
            let breakEven = BreakEven(
              of: here.curve(of: winner, by: "lookups"), over: here.curve(of: loser, by: "lookups"))
          else { return nil }
          return BreakEvenFinding(
            winner: winner, loser: loser, nodes: nodes, depth: depth, breakEven: breakEven,
            range: least...most)
        }
      }
    }
  }
}

extension String {
  /// With a capital letter, as a sentence begins.
  fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
