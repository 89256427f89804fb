import Foundation

/// The players of a run, and the random indices of players that its cases use. Equal seeds give
/// equal players and indices.
struct Roster {
  let players: [Player]
  let teams: Int
  private let seed: UInt64

  init(rows: Int, seed: UInt64) {
    self.seed = seed
    var generator = SeededGenerator(seed: seed)
    let teams = max(1, rows / Self.teamSize)
    self.teams = teams
    players = (0..<rows).map { number in
      Player(
        name: "\(Self.names.drawn(using: &generator)) \(number)",
        team: Int.random(in: 0..<teams, using: &generator),
        score: Double.random(in: 0..<Self.topScore, using: &generator),
        notes: (0..<6).map { _ in Self.words.drawn(using: &generator) }.joined(separator: " "),
        updatedAt: Date(
          timeIntervalSinceReferenceDate: .random(in: 0..<800_000_000, using: &generator)))
    }
  }

  /// The players with other names. Half of the names are not ASCII.
  var playersOfManyLanguages: [Player] {
    var generator = SeededGenerator(seed: seed &+ 2)
    return players.enumerated().map { number, player in
      var player = player
      let names = number.isMultiple(of: 2) ? Self.names : Self.otherNames
      player.name = "\(names.drawn(using: &generator)) \(number)"
      return player
    }
  }

  /// The approximate number of players in a team.
  private static let teamSize = 100
  static let topScore = 1000.0
  /// The score below which about one player in thirty is.
  static let lowScore = topScore / 30

  /// The indices of all players, in random order.
  var shuffledPlaces: [Int] {
    var generator = SeededGenerator(seed: seed &+ 1)
    return players.indices.shuffled(using: &generator)
  }

  /// Returns `count` different random indices of players, in ascending order.
  func places(_ count: Int) -> [Int] { shuffledPlaces.prefix(count).sorted() }

  private static let names = [
    "Ada", "Barbara", "Edsger", "Grace", "Katherine", "Margaret", "Niklaus", "Tony",
  ]
  private static let otherNames = [
    "Ádám", "Émilie", "François", "Jürgen", "Łukasz", "Søren", "Νίκος", "Юлия",
  ]
  private static let words = [
    "always", "captain", "defends", "injured", "keeper", "left", "plays", "ready", "substitute",
    "until", "wing", "winter",
  ]
}

extension [String] {
  fileprivate func drawn(using generator: inout SeededGenerator) -> String {
    self[Int.random(in: indices, using: &generator)]
  }
}
