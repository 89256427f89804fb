import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A rehearsal fails if a screen was not restored")
struct RehearsalTests {
  private static func world(_ restoration: (Events) -> Restoration) throws -> (World, Restoration) {
    let world = World()
    let made = restoration(world.events)
    world.app.launch(restoring: made, from: nil)
    let a = try world.screen("a")
    try world.screen("b", below: a)
    return (world, made)
  }

  private static func problems(_ restoration: (Events) -> Restoration) throws -> [String] {
    let (world, restoration) = try world(restoration)
    let events = Events()
    do {
      _ = try restoration.rehearse(from: world.app) { App(events) }
      return []
    } catch let error as RehearsalError {
      return error.problems
    }
  }

  @Test("A kind that is missing, that refuses or that throws")
  func fails() throws {
    #expect(
      try Self.problems { events in Restoration { Kind("b") { _ in Screen(events) } } } == [
        "a was not restored: No responder is there, and it has no kind."
      ])
    #expect(
      try Self.problems { events in
        Restoration {
          Kind("a") { $0.existing ?? Screen(events) }
          Kind("b") { _ in nil }
        }
      } == ["a › b was not restored: The kind b refused it."])
    #expect(
      try Self.problems { events in
        Restoration {
          Kind("a") { $0.existing ?? Screen(events) }
          Kind("b") { _ in throw Mishap("no luck") }
        }
      }.count == 2)
  }

  @Test("Screens that wait to be opened, and what the application declines, are no failure")
  func passes() throws {
    #expect(
      try Self.problems { events in
        Restoration {
          Kind("a", .whenAttached) { $0.existing ?? Screen(events) }
          Kind("b") { _ in Screen(events) }
        }
      } == [])
    #expect(
      try Self.problems { events in
        let restoration = Restoration {}
        restoration.ask = { _ in .minimum }
        return restoration
      } == [])
  }

  @Test("An object that was added to the tree only is no failure")
  func object() throws {
    final class Player: StateRestoring {
      func encodeRestorableState(with coder: StateEncoder) throws {}
      func decodeRestorableState(with coder: StateDecoder) throws {}
    }
    let app = Application()
    let player = Player()
    let restoration = Restoration {}
    restoration.add(player, as: "player", under: app)
    _ = try restoration.rehearse(from: app) { Application() }
  }

  @Test("A record that was carried already is no failure")
  func carried() throws {
    let (first, saving) = try Self.world { events in
      Restoration {
        Kind("a") { $0.existing ?? Screen(events) }
        Kind("b") { $0.existing ?? Screen(events) }
      }
    }
    let archive = saving.archive(of: first.app)
    let app = Application()
    let restoration = Restoration {}
    app.launch(restoring: restoration, from: archive)
    #expect(restoration.report.count(.carried) == 2)
    _ = try restoration.rehearse(from: app) { Application() }
  }
}
