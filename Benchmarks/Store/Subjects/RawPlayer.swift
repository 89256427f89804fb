import Foundation

/// A player and its key: what one writes by hand for one table.
struct RawPlayer: PlayerHolder {
  var id: Int64
  var player: Player
}

extension RawStatement {
  static let columns = "id, name, team, score, notes, updatedAt"

  /// The row of a statement that selects the columns in this order.
  @inline(__always)
  var player: RawPlayer {
    RawPlayer(
      id: integer(0),
      player: Player(
        name: text(1), team: Int(integer(2)), score: double(3), notes: text(4),
        updatedAt: Date(timeIntervalSinceReferenceDate: double(5))))
  }

  /// The remaining rows.
  @inline(__always)
  func allPlayers() throws -> [RawPlayer] {
    defer { reset() }
    var players: [RawPlayer] = []
    while try step() { players.append(player) }
    return players
  }
}
