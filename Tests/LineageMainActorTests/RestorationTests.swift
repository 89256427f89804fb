import Lineage
import Testing

// This module is on the main actor by default, as the module of an app can be.

struct Place: Codable, Equatable {
  var x = 0
  var name = ""
}

extension Place: RestorableValue {}

final class MapController: Controller {
  @Restorable("place") var place = Place()
  @Restorable("zoom") var zoom: Double?
  let title: String

  init(title: String) {
    self.title = title
    super.init()
  }

  @available(*, unavailable) nonisolated override init() { fatalError("unavailable") }
}

final class PlayerController: Controller, StateRestoring, RestorationFinishing {
  var volume: Int
  var isFinished = false

  init(volume: Int) {
    self.volume = volume
    super.init()
  }

  @available(*, unavailable) nonisolated override init() { fatalError("unavailable") }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(volume, for: "volume")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    volume = try coder.decode("volume") ?? 5
  }

  func didFinishRestoring() { isFinished = true }
}

final class MapApp: Application {
  let name: String

  init(name: String) {
    self.name = name
    super.init()
  }

  @available(*, unavailable) nonisolated override init(strategy: Strategy = .skipping) {
    fatalError("unavailable")
  }

  var map: MapController? { children.first as? MapController }
}

@Suite("A module that is on the main actor by default")
struct RestorationTests {
  private static func restoration() -> Restoration {
    Restoration {
      Kind("map") { request in request.existing ?? MapController(title: "restored") }
      Kind("player") { $0.existing ?? PlayerController(volume: 5) }
    }
  }

  @Test("Properties, methods and initialisers with arguments are restored, and the app runs")
  func restores() async throws {
    let app = MapApp(name: "first")
    let map = MapController(title: "first")
    map.restorationIdentifier = "map"
    try app.append(map)
    map.place = Place(x: 3, name: "here")
    map.zoom = 1.5
    let player = PlayerController(volume: 5)
    player.restorationIdentifier = "player"
    try map.append(player)
    player.volume = 9

    let archive = Self.restoration().archive(of: app)
    let again = MapApp(name: "again")
    let restoration = Self.restoration()
    again.launch(restoring: restoration, from: archive)
    #expect(restoration.report.problems == [])
    #expect(again.map?.title == "restored")
    #expect(again.map?.place == Place(x: 3, name: "here"))
    #expect(again.map?.zoom == 1.5)
    let restored = again.map?.children.first as? PlayerController
    #expect(restored?.volume == 9)
    #expect(restored?.isFinished == true)
    let mailbox = again.mailbox
    let run = Task { await again.run() }
    mailbox.post { $0.terminate() }
    await run.value
    #expect(again.phase == .terminated)
  }
}
