import Foundation
import Lineage
import LineageTestSupport
import Synchronization
import Testing

private typealias LibraryCard = LineageTestSupport.Card
private typealias LibraryDeck = LineageTestSupport.Deck

/// A controller with objects. At each notification, it logs the state of their context.
private final class Room: Controller, RestorationFinishing {
  @Restorable("card") var card: Object<LibraryCard>?
  @Restorable("decks") var decks: [Object<LibraryDeck>] = []
  @Restorable("draft") var draft = ""
  private(set) var heard: [String] = []
  private(set) var finished = 0

  override init() {
    super.init()
    watch(ObjectContext.self)
  }

  override func contextDidChange(_ key: any ContextKey.Type) {
    switch resolve(ObjectContext.self) {
    case .value: heard.append("value")
    case .pending: heard.append("pending")
    case .failed: heard.append("failed")
    case .missing, .blocked: heard.append("nothing")
    }
  }

  func didFinishRestoring() { finished += 1 }
}

@Suite("A tree whose store opens late is restored as one whose store is ready", .hangGuard)
@MainActor
struct LateStoreRestorationTests {
  private let drawer: Drawer
  private var url: URL { drawer.file("library.sqlite") }

  init() throws { drawer = try Drawer() }

  private static func restoration() -> Restoration {
    Restoration {
      Kind("room", Room.init)
      ContextName.objects
    }
  }

  private static func rooms(_ app: Application) -> [Room] {
    app.descendants.compactMap { $0 as? Room }
  }

  /// Returns a line for each room, with its values and the depth of its context.
  private static func account(_ app: Application) -> [String] {
    rooms(app).map { room in
      let context = room.context(ObjectContext.self)
      let depth = sequence(first: context) { $0?.parent }.prefix { $0 != nil }.reduce(0) { sum, _ in
        sum + 1
      }
      let isOwn = room.card?.context === context && room.decks.allSatisfy { $0.context === context }
      return "\(room.card?.question ?? "-") \(room.decks.map(\.name)) \(room.draft) depth \(depth) "
        + "\(isOwn) \(room.slotSummaries.map(\.kind)) finished \(room.finished)"
    }
  }

  /// Makes a store file with cards and decks. Returns the archive of a chain of rooms.
  private func archive() async throws -> StateArchive {
    try Self.archive(in: await SQLiteStore.open(at: url, Library.entities).makeContext())
  }

  /// Returns the archive of a chain of rooms, whose cards and decks are inserted into a context.
  ///
  /// The function is separate because the optimizer crashes if this code is part of the
  /// asynchronous function.
  @inline(never)
  private static func archive(in context: ObjectContext) throws -> StateArchive {
    let app = Application()
    app.provide(context)
    for number in 0..<3 {
      try context.insert(LibraryCard("card \(number)"))
      try context.insert(LibraryDeck("deck \(number)"))
    }
    try context.save()
    let cards = try context.fetch(FetchRequest<LibraryCard>(sort: { $0.question }))
    let decks = try context.fetch(FetchRequest<LibraryDeck>(sort: { $0.name }))
    var parent: Responder = app
    for number in 0..<3 {
      let room = Room()
      room.restorationIdentifier = "room"
      if number > 0 { room.branch(ObjectContext.self, number == 1 ? .follow : .keep) }
      try parent.append(room)
      let own = try room.require(ObjectContext.self)
      room.card = try own.find(cards[number].id)
      room.decks = try decks.prefix(number).map { try #require(try own.find($0.id)) }
      room.draft = "draft \(number)"
      parent = room
    }
    let restoration = restoration()
    let archive = restoration.archive(of: app)
    #expect(restoration.report.problems == [])
    return archive
  }

  /// Launches an application whose store is already open. Returns the lines of its rooms.
  private func ready(_ archive: StateArchive) async throws -> [String] {
    let app = Application()
    app.provide(try await SQLiteStore.open(at: url, Library.entities).makeContext())
    let restoration = Self.restoration()
    app.launch(restoring: restoration, from: archive)
    #expect(restoration.report.count(.restored) == 4)
    #expect(restoration.report.problems == [])
    return Self.account(app)
  }

  private nonisolated static let expected = [
    "card 0 [] draft 0 depth 1 true [] finished 1",
    "card 1 [\"deck 0\"] draft 1 depth 2 true [branch, follow] finished 1",
    "card 2 [\"deck 0\", \"deck 1\"] draft 2 depth 3 true [branch, keep] finished 1",
  ]

  @Test("It opens after the launch", arguments: [false, true])
  func late(fails: Bool) async throws {
    let archive = try await archive()
    #expect(try await ready(archive) == Self.expected)
    let url = url
    let app = Application()
    app.onFailure { _, _ in .handled }
    let gate = Gate()
    let attempts = Mutex(0)
    app.openStore(at: url) { _ in
      await gate.pass()
      let attempt = attempts.withLock { count in
        count += 1
        return count
      }
      if fails, attempt == 1 { throw Mishap("no disk") }
      return try await SQLiteStore.open(at: url, Library.entities).makeContext()
    }
    let restoration = Self.restoration()
    var reports: [Int] = []
    restoration.onReport = { reports.append($0.count(.waiting)) }
    app.launch(restoring: restoration, from: archive)
    let rooms = Self.rooms(app)
    #expect(rooms.count == 3)
    #expect(rooms.map(\.draft) == ["draft 0", "draft 1", "draft 2"])
    #expect(rooms.allSatisfy { $0.card == nil && $0.$card.isWaiting && $0.finished == 0 })
    let waiting = restoration.archive(of: app)
    await gate.open()
    if fails {
      await #expect(throws: Mishap("no disk")) {
        _ = try await app.context(whenReady: ObjectContext.self)
      }
      #expect(rooms.allSatisfy { $0.heard.count { $0 == "failed" } == 1 })
      #expect(rooms.allSatisfy { $0.card == nil && $0.$card.isWaiting && $0.finished == 0 })
      #expect(restoration.report.count(.waiting) == 3)
      #expect(reports == [3])

      // Archives from before and after the failure both restore everything in a launch with a good
      // store.
      for archive in [waiting, restoration.archive(of: app)] {
        #expect(try await ready(archive) == Self.expected)
      }
      #expect(rooms[0].send(RetryOpening()).isHandled)
    }
    _ = try await app.context(whenReady: ObjectContext.self)
    app.drain()
    #expect(Self.account(app) == Self.expected)
    #expect(Self.rooms(app).elementsEqual(rooms, by: ===))
    #expect(rooms.allSatisfy { $0.heard.count { $0 == "value" } == 1 })
    #expect(rooms.allSatisfy { $0.heard.count { $0 == "failed" } == (fails ? 1 : 0) })
    #expect(reports == [3, 0])
    #expect(restoration.report.problems == [])
    #expect(try await ready(restoration.archive(of: app)) == Self.expected)
  }
}
