import Foundation

/// A store written by hand, by C calls. Its parameters and results are Swift structs.
///
/// Its statements are cached, each INSERT writes one row, and SQLite copies all texts.
class RawSQLite: PlayerStore {
  typealias Found = [RawPlayer]
  typealias Values = [RawPlayer]
  typealias ID = Int64

  class var name: String { "raw SQLite" }

  let connection: RawConnection

  class func open(_ file: URL) async throws -> Self { try Self(file) }

  required init(_ file: URL) throws {
    let isNew = !FileManager.default.fileExists(atPath: file.path)
    connection = try RawConnection(file.path)
    if isNew { try connection.run(Self.schema) }
  }

  private static let schema = """
    CREATE TABLE Player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team INTEGER NOT NULL,
      score REAL NOT NULL, notes TEXT NOT NULL, updatedAt REAL NOT NULL) STRICT;
    CREATE INDEX Player_team ON Player (team);
    """

  private var cache: [String: RawStatement] = [:]

  /// Returns the statement for the SQL text, which is prepared at its first use.
  func statement(_ sql: String) throws -> RawStatement {
    if let statement = cache[sql] { return statement }
    let statement = try connection.prepare(sql)
    cache[sql] = statement
    return statement
  }

  func close() { connection.close() }

  func insert(_ players: [Player]) throws {
    let insert = try statement(
      "INSERT INTO Player (\(RawStatement.columns)) VALUES (?, ?, ?, ?, ?, ?)")
    try connection.transaction {
      for (place, player) in players.enumerated() {
        insert.bind(Int64(place + 1), at: 1)
        insert.bind(player.name, at: 2)
        insert.bind(Int64(player.team), at: 3)
        insert.bind(player.score, at: 4)
        insert.bind(player.notes, at: 5)
        insert.bind(player.updatedAt.timeIntervalSinceReferenceDate, at: 6)
        try insert.execute()
      }
    }
  }

  func improve(_ found: inout [RawPlayer], at places: [Int]) throws {
    let update = try statement("UPDATE Player SET score = ?, updatedAt = ? WHERE id = ?")
    try connection.transaction {
      for place in places {
        found[place].player.improve()
        let row = found[place]
        update.bind(row.player.score, at: 1)
        update.bind(row.player.updatedAt.timeIntervalSinceReferenceDate, at: 2)
        update.bind(row.id, at: 3)
        try update.execute()
      }
    }
  }

  func improveSingly(_ found: inout [RawPlayer], at places: [Int]) throws {
    let update = try statement("UPDATE Player SET score = ? WHERE id = ?")
    for place in places {
      found[place].player.score += 1
      try connection.transaction {
        update.bind(found[place].player.score, at: 1)
        update.bind(found[place].id, at: 2)
        try update.execute()
      }
    }
  }
}
