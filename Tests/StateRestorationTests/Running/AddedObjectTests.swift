import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Objects that are not responders keep their state, too")
struct AddedObjectTests {
  final class Player: StateRestoring, RestorationFinishing {
    var volume = 5
    var finished = 0

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(volume, for: "volume")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      volume = try coder.decode("volume") ?? 5
    }

    func didFinishRestoring() { finished += 1 }
  }

  private static func archive() throws -> StateArchive {
    let app = Application()
    let player = Player()
    player.volume = 9
    let restoration = Restoration {}
    restoration.add(player, as: "player", under: app)
    return restoration.archive(of: app)
  }

  @Test("An object that was added before the launch is decoded in it")
  func before() throws {
    let app = Application()
    let player = Player()
    let restoration = Restoration {}
    restoration.add(player, as: "player", under: app)
    app.launch(restoring: restoration, from: try Self.archive())
    #expect(player.volume == 9)
    #expect(player.finished == 1)
    player.volume = 3
    restoration.invalidateRestorableState(of: player)
    let next = restoration.archive(of: app, asksAll: false)
    let again = Player()
    let last = Restoration {}
    let lastApp = Application()
    last.add(again, as: "player", under: lastApp)
    lastApp.launch(restoring: last, from: next)
    #expect(again.volume == 3)
  }

  @Test("An object that is added after the launch gets its state at once")
  func after() throws {
    let app = Application()
    let restoration = Restoration {}
    app.launch(restoring: restoration, from: try Self.archive())
    #expect(restoration.report.count(.carried) == 1)
    let player = Player()
    restoration.add(player, as: "player", under: app)
    #expect(player.volume == 9)
    #expect(player.finished == 1)
  }
}

extension AddedObjectTests {
  @Test("Of two objects with one name, the last one is kept, and the report says so")
  func twoOfOneName() throws {
    let app = Application()
    let players = [Player(), Player()]
    players[0].volume = 1
    players[1].volume = 2
    let restoration = Restoration {}
    for player in players { restoration.add(player, as: "player", under: app) }
    restoration.add(players[1], as: "player", under: app)
    #expect(restoration.report.problems.count == 1)
    #expect(restoration.report.problems.first?.contains("player") == true)
    let again = Application()
    let player = Player()
    let next = Restoration {}
    next.add(player, as: "player", under: again)
    // Added objects are not retained.
    let archive = withExtendedLifetime(players) { restoration.archive(of: app) }
    again.launch(restoring: next, from: archive)
    #expect(player.volume == 2)
    #expect(next.report.records.count == 2)
  }
}
