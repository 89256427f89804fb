#if Postgres
import Lineage

/// Sessions as the article *On a server* shows them: actors on lanes of ``StoreThreads``.
struct LineageSessions: SlowReaders {
  static let name = LineageServerStore.name

  let place: SlowPlace
  let hasHeart = true
  private let sessions: [PlayerSession]
  private let ids: [Ref<Player>]

  init(_ place: SlowPlace) async throws {
    self.place = place
    let direct = try await LineageServerStore.open(place.schema)
    ids = direct.ids(of: try direct.all())
    direct.close()
    var options = PostgresOptions(place.address)
    options.schema = place.schema.name
    options.maximumConnections = Sessions.connections
    let store = try await PostgresStore.open(options, [Player.self])
    let threads = StoreThreads(maximum: Sessions.connections)
    sessions = (0..<Sessions.count).map { _ in
      PlayerSession(in: store.makeContext(), on: threads.lane())
    }
  }

  func scores(of reads: [SlowPlace.Read]) async throws -> [Double] {
    try await withThrowingTaskGroup(of: Double.self) { group in
      for read in reads {
        let (session, id) = (sessions[read.session], ids[read.player])
        group.addTask { try await session.score(of: id) }
      }
      var scores: [Double] = []
      for try await score in group { scores.append(score) }
      return scores
    }
  }
}

/// The session of one client.
private actor PlayerSession {
  private let lane: StoreLane
  private let context: ObjectContext

  /// The session waits for the store on a thread of its lane.
  nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

  init(in context: sending ObjectContext, on lane: StoreLane) {
    (self.context, self.lane) = (context, lane)
  }

  func score(of id: Ref<Player>) throws -> Double {
    guard let player = try context.fetch(Player.self, where: { $0.id.isIn([id]) }).first else {
      throw RawServerError("there is no player \(id)")
    }
    return player.score
  }
}
#endif
