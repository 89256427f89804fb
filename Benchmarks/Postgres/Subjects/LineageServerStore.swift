#if Postgres
import Lineage

/// The library with a store on a server, used as its documentation shows.
final class LineageServerStore: ObjectPlayerStore, ServerPlayerStore {
  static let name = "Lineage"

  let store: PostgresStore

  private init(_ store: PostgresStore) { self.store = store }

  static func open(_ schema: ServerSchema) async throws -> LineageServerStore {
    LineageServerStore(try await schema.open())
  }

  func close() { store.close() }

  var trips: Int { store.trips }

  func players(withAll ids: [Ref<Player>]) throws -> LineagePlayers {
    let context = store.makeContext()
    return LineagePlayers(
      context: context, objects: try context.fetch(Player.self, where: { $0.id.isIn(ids) }))
  }

  func begin(with id: Ref<Player>) throws -> LineagePlayers { try players(with: [id]) }
}
#endif
