#if Postgres
import Foundation
import Lineage

/// A store written by hand on libpq, with the library's tables.
///
/// Statements are prepared, values are binary, and all statements of a transaction go to the server
/// together. Each transaction that writes adds the row to the log that the library adds, so that other
/// programs hear of it.
final class RawServerStore: ServerPlayerStore {
  typealias Found = [RawPlayer]
  typealias Values = [RawPlayer]
  typealias ID = Int64

  static let name = "raw libpq"
  /// The number of rows in a statement or a page.
  static let most = 1_000

  let connection: RawServerConnection
  let table: String
  private let log: String
  let parameters = RawParameters()

  static func open(_ schema: ServerSchema) async throws -> RawServerStore {
    try await schema.open().close()
    return try RawServerStore(schema)
  }

  private init(_ schema: ServerSchema) throws {
    connection = try BenchmarkServer.connect()
    Placement.keep(serverProcess: connection.processID)
    table = #"\#(schema.name)."Player""#
    log = "INSERT INTO \(schema.own).log (id, ids) VALUES ($1, $2)"
  }

  /// Does nothing, because the connection ends with the store.
  func close() {}

  var trips: Int { connection.trips }

  // MARK: Writing

  /// Runs a transaction that writes, in one trip.
  private func write(_ ids: [Int64], _ statements: () throws -> Void) throws {
    try connection.send("BEGIN")
    try statements()
    parameters.reset()
    parameters.add(UUID())
    parameters.add(Self.pack(ids))
    try connection.send(log, parameters)
    try connection.send("COMMIT")
    try connection.sync()
    try connection.receive()
  }

  /// Returns the ids as the library writes them into the log; nil if they are too many.
  private static func pack(_ ids: [Int64]) -> [UInt8]? {
    guard ids.count <= 5_000 else { return nil }
    var bytes: [UInt8] = [6]
    bytes.reserveCapacity(16 + ids.count * 2)
    bytes += "Player".utf8
    func append(_ number: UInt64) {
      var rest = number
      while rest > 127 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }
    append(UInt64(ids.count))
    var last: Int64 = 0
    for id in ids {
      append(UInt64(bitPattern: id &- last))
      last = id
    }
    append(0)
    return bytes
  }

  func insert(_ players: [Player]) throws {
    let insert = """
      INSERT INTO \(table) (\(RawServerResult.columns))
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::float8[], $5::text[], $6::float8[])
      """
    try write(players.indices.map { Int64($0 + 1) }) {
      for start in stride(from: 0, to: players.count, by: Self.most) {
        let some = players[start..<min(start + Self.most, players.count)]
        parameters.reset()
        parameters.addArray(of: .integer, count: some.count) {
          for place in some.indices { parameters.putElement(Int64(place + 1)) }
        }
        parameters.addArray(of: .text, count: some.count) {
          for player in some { parameters.putElement(player.name) }
        }
        parameters.addArray(of: .integer, count: some.count) {
          for player in some { parameters.putElement(Int64(player.team)) }
        }
        parameters.addArray(of: .double, count: some.count) {
          for player in some { parameters.putElement(player.score) }
        }
        parameters.addArray(of: .text, count: some.count) {
          for player in some { parameters.putElement(player.notes) }
        }
        parameters.addArray(of: .double, count: some.count) {
          for player in some {
            parameters.putElement(player.updatedAt.timeIntervalSinceReferenceDate)
          }
        }
        try connection.send(insert, parameters)
      }
    }
  }

  func improve(_ found: inout [RawPlayer], at places: [Int]) throws {
    for place in places { found[place].player.improve() }
    let update = """
      UPDATE \(table) AS t SET score = n.score, "updatedAt" = n.updated
      FROM unnest($1::bigint[], $2::float8[], $3::float8[]) AS n (id, score, updated)
      WHERE t.id = n.id
      """
    try write(places.map { found[$0].id }) {
      for start in stride(from: 0, to: places.count, by: Self.most) {
        let some = places[start..<min(start + Self.most, places.count)]
        parameters.reset()
        parameters.addArray(of: .integer, count: some.count) {
          for place in some { parameters.putElement(found[place].id) }
        }
        parameters.addArray(of: .double, count: some.count) {
          for place in some { parameters.putElement(found[place].player.score) }
        }
        parameters.addArray(of: .double, count: some.count) {
          for place in some {
            parameters.putElement(found[place].player.updatedAt.timeIntervalSinceReferenceDate)
          }
        }
        try connection.send(update, parameters)
      }
    }
  }

  func improveSingly(_ found: inout [RawPlayer], at places: [Int]) throws {
    let update = "UPDATE \(table) SET score = $2 WHERE id = $1"
    for place in places {
      found[place].player.score += 1
      try write([found[place].id]) {
        parameters.reset()
        parameters.add(found[place].id)
        parameters.add(found[place].player.score)
        try connection.send(update, parameters)
      }
    }
  }
}
#endif
