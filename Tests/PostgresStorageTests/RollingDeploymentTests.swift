#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Synchronization
import Testing

/// An account of any version of the program.
private protocol AnyAccount: Entity {
  var units: Int { get set }
  /// The units in all accounts together.
  static var total: Int { get }
}

private enum First {
  struct Account: AnyAccount {
    var units = 0
    static let total = 2_000
    static let schema = Schema<Account>("Account") { Attribute("balance", \.units) }
  }
}

/// The second version adds a property, an entity and an index.
private enum Second {
  struct Account: AnyAccount {
    var units = 0
    var note = "none"
    static let total = 2_000
    static let schema = Schema<Account>("Account") {
      Attribute("balance", \.units)
      Attribute("note", \.note, indexed: true)
    }
  }
  struct Visit: Entity {
    var account: Ref<Account>?
    static let schema = Schema<Visit>("Visit") { ToOne("account", \.account) }
  }
  static let entities: [any Entity.Type] = [Account.self, Visit.self]
}

/// The third version keeps ten units for each of the former ones, in a property of another name.
private enum Third {
  struct Account: AnyAccount {
    var units = 0
    var note = "none"
    static let total = 20_000
    static let schema = Schema<Account>("Account") {
      Attribute("units", \.units)
      Attribute("note", \.note, indexed: true)
    }
  }
  struct Visit: Entity {
    var account: Ref<Account>?
    static let schema = Schema<Visit>("Visit") { ToOne("account", \.account) }
  }
  static let entities: [any Entity.Type] = [Account.self, Visit.self]
  static let migrations = [
    Migration(to: 2, "ten units for each") { store in
      try store.renameProperty("balance", of: "Account", to: "units")
      try store.execute(#"UPDATE "Account" SET units = units * 10"#)
    }
  ]
}

/// A program of some version, with tasks that move units between accounts until they are told to stop.
private final class Program: Sendable {
  enum End: Hashable { case stopped, migrated }

  let store: PostgresStore
  private let isStopping = Atomic(false)
  private let tasks: Mutex<[Task<(moves: Int, end: End), any Error>]> = Mutex([])

  init<Account: AnyAccount>(_ store: PostgresStore, _: Account.Type, seed: UInt64) {
    self.store = store
    for worker in 0..<3 {
      let task = Task.detached { [self] in
        try await onOwnThread { _ in
          Result { try self.work(Account.self, seed &+ UInt64(worker)) }
        }.get()
      }
      tasks.withLock { $0.append(task) }
    }
  }

  /// Stops the tasks, and returns the numbers of their moves, and how they have ended.
  func stop() async throws -> (moves: Int, ends: Set<End>) {
    isStopping.store(true, ordering: .relaxed)
    return try await end()
  }

  /// Waits until the tasks have ended by themselves.
  func end() async throws -> (moves: Int, ends: Set<End>) {
    defer { store.close() }
    var outcome = (moves: 0, ends: Set<End>())
    for task in tasks.withLock({ $0 }) {
      let (moves, end) = try await task.value
      outcome.moves += moves
      outcome.ends.insert(end)
    }
    return outcome
  }

  private func work<Account: AnyAccount>(
    _: Account.Type, _ seed: UInt64
  ) throws -> (moves: Int, end: End) {
    var random = SplitMix64(seed: seed)
    var moves = 0
    let context = store.makeContext()
    context.conflictPolicy = .resolve { conflict in
      guard let base = conflict.base as? Account, let mine = conflict.mine as? Account,
        var theirs = conflict.theirs as? Account
      else { return .theirs }
      theirs.units += mine.units - base.units
      return .value(theirs)
    }
    while !isStopping.load(ordering: .relaxed) {
      do {
        try context.merge()
        let accounts = try context.fetch(Account.self)
        let sum = accounts.map(\.units).reduce(0, +)
        guard sum == Account.total else { throw Unexpected("a moment with \(sum) units") }
        let (from, to) = (
          accounts.randomElement(using: &random), accounts.randomElement(using: &random)
        )
        from?.units -= 1
        to?.units += 1
        try context.save()
        moves += 1
      } catch let error as GraphError {
        switch error.reason {
        case .migrated: return (moves, .migrated)
        // Others were faster seven times in a row.
        case .overtaken: context.discard()
        default: throw error
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0 { Thread.sleep(forTimeInterval: 0.01) }
    }
    return (moves, .stopped)
  }
}

@Suite("A deployment that rolls", .enabled(if: TestServer.isThere), .hangGuard)
struct RollingDeploymentTests {
  /// The seconds for which the programs run between two steps of the deployment.
  private let pause: Double =
    ProcessInfo.processInfo.environment["LINEAGE_LONG"] == nil ? 1 : 60

  private func wait() async throws { try await Task.sleep(for: .seconds(pause)) }

  @Test("of three versions loses no unit, and gives no error but that the store was migrated")
  func threeVersions() async throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("a deployment that rolls, seed \(seed)")
    try await TestServer.withSchema { options in
      var options = options
      options.statementTimeout = 20
      func first() async throws -> Program {
        let store = try await PostgresStore.open(options, [First.Account.self])
        return Program(store, First.Account.self, seed: seed)
      }
      func second() async throws -> Program {
        let store = try await PostgresStore.open(options, Second.entities)
        return Program(store, Second.Account.self, seed: seed &+ 10)
      }
      func third() async throws -> Program {
        let store = try await PostgresStore.open(
          options, Third.entities, migrations: Third.migrations)
        return Program(store, Third.Account.self, seed: seed &+ 20)
      }
      let filling = try await PostgresStore.open(options, [First.Account.self])
      let context = filling.makeContext()
      for _ in 0..<20 { try context.insert(First.Account(units: 100)) }
      try context.save()
      filling.close()

      let (oldest, old) = (try await first(), try await first())
      try await wait()
      let clock = ContinuousClock()
      var start = clock.now
      let newer = try await second()
      let adding = clock.now - start
      try await wait()
      var moves = try await old.stop()
      #expect(moves.ends == [.stopped])
      // A program of the first version that is started again goes on, too.
      let again = try await first()
      try await wait()
      moves = try await again.stop()
      #expect(moves.ends == [.stopped] && moves.moves > 0)

      start = clock.now
      let newest = try await third()
      let migrating = clock.now - start
      #expect(try await oldest.end().ends == [.migrated])
      #expect(try await newer.end().ends == [.migrated])
      for entities in [[First.Account.self], Second.entities] as [[any Entity.Type]] {
        let opening = await PostgresStore.opening(options, entities)
        guard case .newer(found: 2, known: 1) = opening else { throw Unexpected(opening) }
      }
      let last = try await third()
      try await wait()
      for program in [newest, last] {
        let outcome = try await program.stop()
        #expect(outcome.ends == [.stopped] && outcome.moves > 0)
      }
      print("adding took \(adding), the numbered step \(migrating)")
      let sum = try TestServer.texts("SELECT sum(units) FROM \"\(options.schema)\".\"Account\"")
      #expect(sum == ["20000"])
    }
  }
}
#endif
