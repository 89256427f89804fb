import Foundation

/// A store with the C calls of `RawSQLite`, but with several rows in one INSERT and without copies
/// of their texts.
///
/// Only inserts become faster by this. An update of several rows (`UPDATE … FROM (VALUES …)`) took
/// as long as single updates in the `update` case. For reading, no faster way is known. So updates
/// and reads use the code of `RawSQLite`, and a difference in their times is noise.
///
/// The inserts use `OR ROLLBACK`. Without it, SQLite copies each page before a statement of several
/// rows changes the page. The `insert` case then takes twice as long as with single rows.
final class BestRawSQLite: RawSQLite {
  override class var name: String { "raw SQLite, best" }

  private static let rowsAStatement = 16
  private let arena = TextArena(capacity: 65_536)
  private var inserts: [Int: RawStatement] = [:]

  override func insert(_ players: [Player]) throws {
    try connection.transaction {
      for start in stride(from: 0, to: players.count, by: Self.rowsAStatement) {
        try insert(players, at: start..<min(start + Self.rowsAStatement, players.count))
      }
    }
  }

  private func insert(_ players: [Player], at places: Range<Int>) throws {
    let insert = try insertStatement(rows: places.count)
    arena.reset()
    var parameter: Int32 = 1
    for place in places {
      let player = players[place]
      insert.bind(Int64(place + 1), at: parameter)
      insert.bind(staying: arena.copy(player.name), at: parameter + 1)
      insert.bind(Int64(player.team), at: parameter + 2)
      insert.bind(player.score, at: parameter + 3)
      insert.bind(staying: arena.copy(player.notes), at: parameter + 4)
      insert.bind(player.updatedAt.timeIntervalSinceReferenceDate, at: parameter + 5)
      parameter += 6
    }
    try insert.execute()
  }

  private func insertStatement(rows: Int) throws -> RawStatement {
    if let statement = inserts[rows] { return statement }
    let values = Array(repeating: "(?, ?, ?, ?, ?, ?)", count: rows).joined(separator: ", ")
    let statement = try connection.prepare(
      "INSERT OR ROLLBACK INTO Player (\(RawStatement.columns)) VALUES \(values)")
    inserts[rows] = statement
    return statement
  }
}
