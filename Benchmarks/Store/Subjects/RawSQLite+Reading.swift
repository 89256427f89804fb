import Foundation

/// The functions that read. A single SELECT needs no BEGIN, because SQLite runs it in a read
/// transaction of its own.
extension RawSQLite {
  private static let select = "SELECT \(RawStatement.columns) FROM Player"

  func all() throws -> [RawPlayer] {
    try statement("\(Self.select) ORDER BY id").allPlayers()
  }

  func values() throws -> [RawPlayer] { try all() }

  func ids(of found: [RawPlayer]) -> [Int64] { found.map(\.id) }

  func players(with ids: [Int64]) throws -> [RawPlayer] {
    let select = try statement("\(Self.select) WHERE id = ?")
    return try connection.transaction {
      var players: [RawPlayer] = []
      for id in ids {
        select.bind(id, at: 1)
        if try select.step() { players.append(select.player) }
        select.reset()
      }
      return players
    }
  }

  func players(scoringBelow score: Double) throws -> [RawPlayer] {
    let select = try statement("\(Self.select) WHERE score < ? ORDER BY id")
    select.bind(score, at: 1)
    return try select.allPlayers()
  }

  func players(ofTeam team: Int) throws -> [RawPlayer] {
    let select = try statement("\(Self.select) WHERE team = ? ORDER BY score DESC, id")
    select.bind(Int64(team), at: 1)
    return try select.allPlayers()
  }

  func sortedByName() throws -> [RawPlayer] {
    try statement("\(Self.select) ORDER BY name, id").allPlayers()
  }

  func rows() throws -> [PlayerRow] {
    let select = try statement("\(Self.select) ORDER BY id")
    defer { select.reset() }
    var rows: [PlayerRow] = []
    while try select.step() {
      rows.append(
        (
          select.integer(0), select.text(1), Int(select.integer(2)), select.double(3),
          select.text(4), Date(timeIntervalSinceReferenceDate: select.double(5))
        ))
    }
    return rows
  }

  func first() throws -> Player? {
    let select = try statement("\(Self.select) ORDER BY id LIMIT 1")
    defer { select.reset() }
    return try select.step() ? select.player.player : nil
  }
}
