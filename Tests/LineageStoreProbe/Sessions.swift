import Foundation
import Lineage
import LineageTestSupport

/// A command that runs sessions of a server, as in the article OnAServer.
enum Sessions {
  private actor Session {
    private let application: Application

    init(_ store: SQLiteStore) {
      let application = Application()
      application.provide(store.makeContext())
      self.application = application
    }

    func groups() throws -> Int {
      application.drain()
      return try application.require(ObjectContext.self).values(Group.self).count
    }
  }

  /// Creates `count` sessions under a limit of 256 file descriptors, and keeps them all. Each
  /// session reads once before and once after another context saves.
  static func run(_ url: URL, count: Int) async throws {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit(rlim_cur: 256, rlim_max: 256)
    setrlimit(files, &limit)
    let store = try await SQLiteStore.open(at: url, StoreProbe.entities)
    try save(store)
    let sessions = (0..<count).map { _ in Session(store) }
    for round in 1...2 {
      var seen = 0
      for session in sessions { seen += try await session.groups() }
      let isFew = Faults.descriptors < 64
      StoreProbe.say(
        "\(sessions.count) sessions saw \(seen), \(isFew ? "few" : "many") descriptors")
      if round == 1 { try save(store) }
    }
    StoreProbe.say("\(store.readConnections) connections")
  }

  private static func save(_ store: SQLiteStore) throws {
    let context = store.makeContext()
    try context.insert(Group())
    try context.save()
  }
}
