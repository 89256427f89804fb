import Foundation

/// The row in all cases of the store suite. All subjects have its values in this struct.
struct Player: Sendable {
  var name = ""
  var team = 0
  var score = 0.0
  var notes = ""
  var updatedAt = Date(timeIntervalSinceReferenceDate: 0)
}

extension Player {
  /// Updates two columns, as the `update` case does.
  mutating func improve() {
    score += 1
    updatedAt.addTimeInterval(1)
  }
}

/// The players that a fetch has returned, in the order of the fetch. The result also retains the
/// objects that the players need, such as their context.
protocol FoundPlayers {
  var players: [Player] { get }
}

/// An element of the result of a fetch.
protocol PlayerHolder {
  var player: Player { get }
}

extension Player: PlayerHolder {
  var player: Player { self }
}

extension Array: FoundPlayers where Element: PlayerHolder {
  var players: [Player] { map(\.player) }
}

extension FoundPlayers {
  /// The number of players, and a checksum of their values and their order.
  var answer: Answer {
    var hasher = Checksum()
    for player in players {
      hasher.combine(player.name.utf8)
      hasher.combine(player.notes.utf8)
      hasher.combine(UInt64(bitPattern: Int64(player.team)))
      hasher.combine(player.score.bitPattern)
      hasher.combine(player.updatedAt.timeIntervalSinceReferenceDate.bitPattern)
    }
    return ["players": players.count, "checksum": hasher.value]
  }
}

/// An FNV-1a hash, which is the same in each process, unlike Swift's own hashes.
private struct Checksum {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  var value: Int { Int(state >> 1) }

  mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { combine(UInt64(byte)) }
    combine(0xFF)
  }

  mutating func combine(_ word: UInt64) {
    state = (state ^ word) &* 0x100_0000_01B3
  }
}
