import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Faults of added objects")
struct WaitingObjectTests {
  private final class Player: StateRestoring {
    var page: PageNumber?

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(page, for: "page")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      try coder.whenReady("page", into: \.page, of: self)
    }
  }

  private static func restoration() -> Restoration {
    Restoration { ContextName("notes", Notebook.self) }
  }

  /// Launches an application with a notebook and an added player.
  private static func launch(_ archive: StateArchive?) -> (App, Player, Restoration) {
    let (app, player, restoration) = (App(), Player(), restoration())
    app.provide(Notebook("root"))
    restoration.add(player, as: "player", under: app)
    app.launch(restoring: restoration, from: archive)
    return (app, player, restoration)
  }

  @Test("Waiting values are in an archive from before the store opens", arguments: [true, false])
  func waiting(isFull: Bool) throws {
    let (first, player, saving) = Self.launch(nil)
    player.page = PageNumber(notebook: "root", page: 7)
    let archive = saving.archive(of: first)
    #expect(Self.launch(archive).1.page?.page == 7)

    let (app, waiting, restoration) = (App(), Player(), Self.restoration())
    let delivery = app.expect(Notebook.self)
    restoration.add(waiting, as: "player", under: app)
    app.launch(restoring: restoration, from: archive)
    if !isFull { restoration.invalidateRestorableState(of: waiting) }
    let early = isFull ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
    withExtendedLifetime((waiting, delivery)) {}
    #expect(Self.launch(early).1.page?.page == 7)
  }

  @Test("The record of an object that has ended is not kept")
  func ended() throws {
    let (app, restoration) = (App(), Self.restoration())
    app.launch(restoring: restoration, from: nil)
    do {
      let player = Player()
      restoration.add(player, as: "player", under: app)
      _ = withExtendedLifetime(player) { restoration.archive(of: app) }
    }
    let archive = restoration.archive(of: app, asksAll: false)
    let (again, last) = (App(), Self.restoration())
    again.launch(restoring: last, from: archive)
    #expect(last.report.records.map(\.path) == [[]])
  }
}
