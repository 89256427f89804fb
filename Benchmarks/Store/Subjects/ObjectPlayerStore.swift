import Foundation
import Lineage

/// The library with one of its stores, used as its documentation shows.
///
/// Each fetch uses a new context, so that none of the objects is in the context already.
protocol ObjectPlayerStore: PlayerStore
where Found == LineagePlayers, Values == [Player], ID == Ref<Player> {
  associatedtype Kept: Store
  var store: Kept { get }
}

extension ObjectPlayerStore {
  func insert(_ players: [Player]) throws {
    let context = store.makeContext()
    for player in players { try context.insert(player) }
    try context.save()
  }

  func all() throws -> LineagePlayers {
    try fetch { try $0.fetch(Player.self) }
  }

  func values() throws -> [Player] { try store.makeContext().values(Player.self) }

  func ids(of found: LineagePlayers) -> [Ref<Player>] { found.objects.map(\.id) }

  func players(with ids: [Ref<Player>]) throws -> LineagePlayers {
    try fetch { context in try ids.map { try context.object(with: $0) } }
  }

  func players(scoringBelow score: Double) throws -> LineagePlayers {
    try fetch { try $0.fetch(Player.self, where: { $0.score < score }) }
  }

  func players(ofTeam team: Int) throws -> LineagePlayers {
    try fetch {
      try $0.fetch(Player.self, where: { $0.team == team }, sort: { $0.score.descending })
    }
  }

  func sortedByName() throws -> LineagePlayers {
    try fetch { try $0.fetch(Player.self, sort: { $0.name.folded }) }
  }

  func rows() throws -> [PlayerRow] {
    try store.makeContext().rows(
      "select id, name, team, score, notes, updatedAt from \(Player.self) order by id",
      Int64.self, String.self, Int.self, Double.self, String.self, Date.self)
  }

  func first() throws -> Player? {
    try fetch { try $0.fetch(Player.self, limit: 1) }.objects.first?.value
  }

  private func fetch(
    _ body: (ObjectContext) throws -> [Object<Player>]
  ) throws -> LineagePlayers {
    let context = store.makeContext()
    return LineagePlayers(context: context, objects: try body(context))
  }

  func improve(_ found: inout LineagePlayers, at places: [Int]) throws {
    for place in places {
      found.objects[place].score += 1
      found.objects[place].updatedAt.addTimeInterval(1)
    }
    try found.context.save()
  }

  func improveSingly(_ found: inout LineagePlayers, at places: [Int]) throws {
    for place in places {
      found.objects[place].score += 1
      try found.context.save()
    }
  }
}

/// The objects of a fetch, with their context.
struct LineagePlayers: FoundPlayers {
  let context: ObjectContext
  let objects: [Object<Player>]

  var players: [Player] { objects.players }
}
