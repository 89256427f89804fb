import Lineage

/// The row of the suite: something with an order that changes.
struct Song: Entity {
  var title = ""
  var number = 0
  var rank = 0.0

  static let schema = Schema<Song>("Song") {
    Attribute("title", \.title)
    Attribute("number", \.number)
    Attribute("rank", \.rank, indexed: true)
  }

  /// Ranks lie between zero and this.
  static let topRank = 1000.0

  /// Songs whose ranks ascend, a hundred times over, as those of sorted sources do.
  static func inRuns(_ count: Int) -> [Song] {
    (0..<count).map { number in
      let (step, run) = number.quotientAndRemainder(dividingBy: 100)
      return Song(
        title: "Song \(number)", number: number,
        rank: topRank / 100 * (Double(run) + Double(step) * 100 / Double(count)))
    }
  }

  /// The songs of the other cases; the seed decides their ranks.
  static func all(_ count: Int, seed: UInt64) -> [Song] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { number in
      Song(title: "Song \(number)", number: number, rank: .random(using: &generator))
    }
  }
}

extension Double {
  /// A rank for a song.
  static func random(using generator: inout SeededGenerator) -> Double {
    random(in: 0..<Song.topRank, using: &generator)
  }
}

extension Sequence<Object<Song>> {
  /// The same figures for the same songs in the same order, in whatever context.
  var answer: Answer {
    var (count, sum) = (0, 0)
    for song in self {
      count += 1
      sum = sum &* 31 &+ song.number
    }
    return ["songs": count, "order": sum]
  }
}
