import Foundation

/// A player with its primary key, as code written by hand for one table would store it.
struct RawPlayer: PlayerHolder {
  var id: Int64
  var player: Player
}

extension RawStatement {
  static let columns = "id, name, team, score, notes, updatedAt"

  /// The current row. The statement must select `columns`, in their order.
  @inline(__always)
  var player: RawPlayer {
    RawPlayer(
      id: integer(0),
      player: Player(
        name: text(1), team: Int(integer(2)), score: double(3), notes: text(4),
        updatedAt: Date(timeIntervalSinceReferenceDate: double(5))))
  }

  /// Returns the remaining rows and resets the statement.
  @inline(__always)
  func allPlayers() throws -> [RawPlayer] {
    defer { reset() }
    var players: [RawPlayer] = []
    while try step() { players.append(player) }
    return players
  }
}
