import Lineage

/// The row of the living suite. Songs are ordered by their ranks, which change.
struct Song: Entity {
  var title = ""
  var number = 0
  var rank = 0.0

  static let schema = Schema<Song>("Song") {
    Attribute("title", \.title)
    Attribute("number", \.number)
    Attribute("rank", \.rank, indexed: true)
  }

  /// The upper bound of all ranks. The lower bound is zero.
  static let topRank = 1000.0

  /// Returns songs for an import. In each block of one hundred consecutive songs, the ranks ascend,
  /// as if the block came from a sorted source.
  static func inRuns(_ count: Int) -> [Song] {
    (0..<count).map { number in
      let (step, run) = number.quotientAndRemainder(dividingBy: 100)
      return Song(
        title: "Song \(number)", number: number,
        rank: topRank / 100 * (Double(run) + Double(step) * 100 / Double(count)))
    }
  }

  /// Returns songs with random ranks, for all cases but the import. Equal seeds give equal ranks.
  static func all(_ count: Int, seed: UInt64) -> [Song] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { number in
      Song(title: "Song \(number)", number: number, rank: .random(using: &generator))
    }
  }
}

extension Double {
  /// Returns a random rank for a song.
  static func random(using generator: inout SeededGenerator) -> Double {
    random(in: 0..<Song.topRank, using: &generator)
  }
}

extension Sequence<Object<Song>> {
  /// The number of the songs, and a checksum of their order. They do not depend on the context.
  var answer: Answer {
    var (count, sum) = (0, 0)
    for song in self {
      count += 1
      sum = sum &* 31 &+ song.number
    }
    return ["songs": count, "order": sum]
  }
}
