import Foundation
import Lineage
import LineageTestSupport
import Synchronization
import Testing

/// Tests of the phases that a screen can show while the store of the application is opened,
/// replaced or withdrawn.
@Suite("What is shown of an opening", .hangGuard)
@MainActor
struct StoreOpeningTests {
  private let ada: MemoryStore
  private let application = Application()
  private let url = URL(filePath: "/ada")

  init() throws { ada = try MemoryStore(card: "ada's") }

  /// Returns the progress that a real migration reports in three steps.
  private func migration() async throws -> [OpeningProgress] {
    let folder = try Drawer()
    let url = folder.file("cards.sqlite")
    try await SQLiteStore.open(at: url, Library.entities).close()
    let told = Mutex<[OpeningProgress]>([])
    let steps = (2...4).map { Migration(to: $0, "step \($0)") { _ in } }
    try await SQLiteStore.open(
      at: url, Library.entities, migrations: steps,
      progress: { step in told.withLock { $0.append(step) } }
    ).close()
    return told.withLock { $0 }
  }

  @Test("The progress of a replaced opening is not taken for the new one's")
  func replaced() async throws {
    let ada = ada
    let bob = try MemoryStore(card: "bob's")
    let steps = try await migration()
    let (isIn, gate, never) = (Gate(), Gate(), Gate())
    let tell = Mutex<(@Sendable (OpeningProgress) -> Void)?>(nil)
    application.openStore(at: url) { progress in
      tell.withLock { $0 = progress }
      await isIn.open()
      await gate.pass()
      return ada.makeContext()
    }
    await isIn.pass()
    application.openStore(at: URL(filePath: "/bob")) { _ in
      await never.pass()
      return bob.makeContext()
    }
    // The first opening still reports progress, although it was replaced.
    let late = try #require(tell.withLock { $0 })
    late(steps[1])
    application.drain()
    let opening = try application.require(StoreOpening.self)
    #expect(opening.url.path == "/bob" && opening.phase == .waiting)
    await never.open()
    await gate.open()
    _ = try await application.context(whenReady: ObjectContext.self)
  }

  @Test("A store that is no file is shown without user and password, also by its error")
  func credentials() async throws {
    let location = try #require(URL(string: "postgres://ada:secret@example.org:5432/cards"))
    let ada = ada
    application.openStore(at: location) { _ in ada.makeContext() }
    let shown = try application.require(StoreOpening.self).url
    #expect(shown.absoluteString == "postgres://example.org:5432/cards")
    _ = try await application.context(whenReady: ObjectContext.self)
    #expect(application.context(StoreOpening.self)?.url == shown)
    let error = OpeningError(url: location, opening: .locked(seconds: 1))
    #expect("\(error)".hasPrefix("could not open postgres://example.org:5432/cards: "))
  }

  @Test("To try again when nothing failed leaves the root context alone")
  func needlessRetry() async throws {
    let ada = ada
    application.openStore(at: url) { _ in ada.makeContext() }
    let context = try await application.context(whenReady: ObjectContext.self)
    context.onError = { _ in }
    try context.insert(LineageTestSupport.Card("unsaved"))
    application.send(RetryOpening())
    #expect(application.context(ObjectContext.self) === context)
    let again = try await application.context(whenReady: ObjectContext.self)
    #expect(again === context && again.hasUnsavedChanges)
    context.discard()
  }

  @Test("Whoever is logged out sees no store that is ready")
  func loggedOut() async throws {
    let ada = ada
    application.openStore(at: url) { _ in ada.makeContext() }
    _ = try await application.context(whenReady: ObjectContext.self)
    #expect(application.context(StoreOpening.self)?.phase == .ready)
    application.block(ObjectContext.self)
    #expect(application.context(StoreOpening.self)?.phase != .ready)
    _ = application.expect(ObjectContext.self)
    #expect(application.context(StoreOpening.self)?.phase != .ready)
  }

  @Test("An opening that was withdrawn is no longer shown")
  func withdrawn() async throws {
    let ada = ada
    let steps = try await migration()
    let (started, gate) = (Gate(), Gate())
    application.openStore(at: url) { progress in
      progress(steps[0])
      await started.open()
      await gate.pass()
      return ada.makeContext()
    }
    await started.pass()
    application.drain()
    #expect(
      application.context(StoreOpening.self)?.phase == .migrating(step: 1, of: 3, "step 2"))
    try application.withdraw(ObjectContext.self)
    application.drain()
    #expect(application.context(StoreOpening.self) == nil)
    await gate.open()
  }

  @Test("A screen may try again in the callback that tells it of the failure")
  func retryInCallback() async throws {
    let ada = ada
    let attempts = Mutex(0)
    let screen = Controller()
    try application.append(screen)
    var phases: [String] = []
    let shown = screen.observe(StoreOpening.self) { _, opening in
      phases.append(opening.value.map { "\($0.phase)" } ?? "-")
    }
    let token = screen.observe(ObjectContext.self) { screen, resolution in
      if case .failed = resolution { screen.send(RetryOpening()) }
    }
    application.openStore(at: url) { _ in
      let attempt = attempts.withLock { count -> Int in
        count += 1
        return count
      }
      if attempt < 3 { throw Mishap("no disk") }
      return ada.makeContext()
    }
    var isReady = false
    for _ in 0..<10 where !isReady {
      do {
        _ = try await screen.context(whenReady: ObjectContext.self)
        isReady = true
      } catch {
        #expect(error as? Mishap == Mishap("no disk"))
      }
    }
    #expect(isReady && application.context(StoreOpening.self)?.phase == .ready)
    #expect(attempts.withLock { $0 } == 3)
    #expect(phases.last == "ready")
    token.cancel()
    shown.cancel()
  }
}
