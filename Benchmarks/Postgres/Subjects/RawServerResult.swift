#if Postgres
import CLineagePostgres
import Foundation

/// The answer to one statement, in the binary format. No column may be null.
final class RawServerResult {
  private let answer: OpaquePointer
  let rowCount: Int32

  init(_ answer: OpaquePointer) {
    self.answer = answer
    rowCount = PQntuples(answer)
  }

  deinit { PQclear(answer) }

  @inline(__always)
  func integer(_ row: Int32, _ column: Int32) -> Int64 {
    Int64(
      bigEndian: UnsafeRawPointer(PQgetvalue(answer, row, column)).loadUnaligned(as: Int64.self))
  }

  @inline(__always)
  func double(_ row: Int32, _ column: Int32) -> Double {
    Double(bitPattern: UInt64(bitPattern: integer(row, column)))
  }

  @inline(__always)
  func text(_ row: Int32, _ column: Int32) -> String {
    let bytes = UnsafeRawBufferPointer(
      start: PQgetvalue(answer, row, column), count: Int(PQgetlength(answer, row, column)))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The columns in their order.
  static let columns = #"id, name, team, score, notes, "updatedAt""#

  /// Returns a row. The statement must select `columns`, in their order.
  @inline(__always)
  func player(_ row: Int32) -> RawPlayer {
    RawPlayer(
      id: integer(row, 0),
      player: Player(
        name: text(row, 1), team: Int(integer(row, 2)), score: double(row, 3),
        notes: text(row, 4),
        updatedAt: Date(timeIntervalSinceReferenceDate: double(row, 5))))
  }

  func append(to players: inout [RawPlayer]) {
    for row in 0..<rowCount { players.append(player(row)) }
  }

  var players: [RawPlayer] {
    var players: [RawPlayer] = []
    players.reserveCapacity(Int(rowCount))
    append(to: &players)
    return players
  }
}
#endif
