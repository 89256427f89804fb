#if Postgres
import Foundation

/// The functions that read. Reads of all rows come page by page through a cursor, so that they take
/// little memory. Other reads are one statement, and need no BEGIN.
extension RawServerStore {
  private var select: String { "SELECT \(RawServerResult.columns) FROM \(table)" }

  func all() throws -> [RawPlayer] { try pages("\(select) ORDER BY id") }

  func values() throws -> [RawPlayer] { try all() }

  func sortedByName() throws -> [RawPlayer] { try pages("\(select) ORDER BY name, id") }

  /// Reads all rows of a statement. While a page is decoded, the server sends the next one.
  private func pages(_ select: String) throws -> [RawPlayer] {
    let fetch = "FETCH \(Self.most) FROM page"
    try connection.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    try connection.send("DECLARE page NO SCROLL CURSOR FOR \(select)")
    try connection.send(fetch)
    try connection.sync()
    var players: [RawPlayer] = []
    while true {
      let page = try connection.receive()
      let isLast = page.rowCount < Self.most
      try connection.send(isLast ? "ROLLBACK" : fetch)
      try connection.sync(isIgnored: isLast)
      page.append(to: &players)
      if isLast { return players }
    }
  }

  func ids(of found: [RawPlayer]) -> [Int64] { found.map(\.id) }

  func players(with ids: [Int64]) throws -> [RawPlayer] {
    let select = "\(select) WHERE id = $1"
    var players: [RawPlayer] = []
    try connection.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    for id in ids {
      parameters.reset()
      parameters.add(id)
      try connection.run(select, parameters).append(to: &players)
    }
    try connection.send("ROLLBACK")
    try connection.sync(isIgnored: true)
    return players
  }

  func begin(with id: Int64) throws -> [RawPlayer] { try players(with: [id]) }

  func players(withAll ids: [Int64]) throws -> [RawPlayer] {
    parameters.reset()
    parameters.addArray(of: .integer, count: ids.count) {
      for id in ids { parameters.putElement(id) }
    }
    return try connection.run("\(select) WHERE id = ANY ($1) ORDER BY id", parameters).players
  }

  func players(scoringBelow score: Double) throws -> [RawPlayer] {
    parameters.reset()
    parameters.add(score)
    return try connection.run("\(select) WHERE score < $1 ORDER BY id", parameters).players
  }

  func players(ofTeam team: Int) throws -> [RawPlayer] {
    parameters.reset()
    parameters.add(Int64(team))
    let select = "\(select) WHERE team = $1 ORDER BY score DESC, id"
    return try connection.run(select, parameters).players
  }

  func rows() throws -> [PlayerRow] {
    try all().map {
      ($0.id, $0.player.name, $0.player.team, $0.player.score, $0.player.notes, $0.player.updatedAt)
    }
  }

  func first() throws -> Player? {
    try connection.run("\(select) ORDER BY id LIMIT 1").players.first?.player
  }
}
#endif
