import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A screen that code opens during a restoration gets its record")
struct OpeningTests {
  enum Moment: CaseIterable { case attached, decoded, attachedBoth }

  /// A controller that opens screens while it is restored.
  private final class Opener: Controller, StateRestoring {
    let events: Events
    let moment: Moment?

    init(_ events: Events, _ moment: Moment? = nil) {
      self.events = events
      self.moment = moment
      super.init()
    }

    override func didAttach() {
      if moment == .attached || moment == .attachedBoth { open() }
      if moment == .attachedBoth { open() }
    }

    func encodeRestorableState(with coder: StateEncoder) throws {}

    func decodeRestorableState(with coder: StateDecoder) throws {
      events.add("decode opener")
      if moment == .decoded { open() }
    }

    func open() {
      let detail = Screen(events, "detail")
      detail.note = "default"
      do { try append(detail) } catch { Issue.record("\(error)") }
    }
  }

  private static func restoration(
    _ events: Events, _ moment: Moment?, hasKinds: Bool
  ) -> Restoration {
    Restoration {
      Kind("opener") { $0.existing ?? Opener(events, moment) }
      if hasKinds { Kind("detail") { $0.existing ?? Screen(events) } }
      Kind("inner") { $0.existing ?? Screen(events) }
    }
  }

  /// Returns the archive of an opener with the given number of details. Each detail has an inner
  /// screen.
  private static func archive(details: Int = 1) throws -> StateArchive {
    let world = World()
    let opener = Opener(world.events)
    opener.restorationIdentifier = "opener"
    try world.app.append(opener)
    for number in 1...details {
      let detail = try world.screen("detail", below: opener)
      detail.note = "kept \(number)"
      try world.screen("inner", below: detail).note = "inner \(number)"
    }
    return restoration(world.events, nil, hasKinds: true).archive(of: world.app)
  }

  private static func notes(_ app: Application) -> [String?] {
    (app.children.first?.children ?? app.children).flatMap { detail in
      [(detail as? Screen)?.note, (detail.children.first as? Screen)?.note]
    }
  }

  // If the detail has a kind, it exists already when the opener above it is decoded.
  @Test(
    "In didAttach or in decode, with and without a kind",
    arguments: [
      (Moment.attached, false), (.attached, true), (.decoded, false), (.attachedBoth, false),
      (.attachedBoth, true),
    ])
  func opened(moment: Moment, hasKinds: Bool) throws {
    let details = moment == .attachedBoth ? 2 : 1
    let world = World()
    let restoration = Self.restoration(world.events, moment, hasKinds: hasKinds)
    world.app.launch(restoring: restoration, from: try Self.archive(details: details))
    let expected = (1...details).flatMap { ["kept \($0)", "inner \($0)"] }
    #expect(Self.notes(world.app) == expected)
    #expect(restoration.report.count(.restored) == 2 + 2 * details)
    #expect(restoration.report.records.count == 2 + 2 * details)
    let lines = world.events.lines
    let finish = try #require(lines.firstIndex { $0.hasPrefix("finish") })
    #expect(!lines[finish...].contains { $0.hasPrefix("decode") })
    #expect(lines.filter { $0 == "finish detail" }.count == details)

    let again = World()
    let next = Self.restoration(again.events, nil, hasKinds: true)
    again.app.launch(restoring: next, from: restoration.archive(of: world.app))
    #expect(Self.notes(again.app) == expected)
    #expect(next.report.records.count == 2 + 2 * details)
  }

  @Test("A screen that an observer opens at the end of the restoration")
  func observer() throws {
    final class Provider: Controller {
      override func didAttach() { application?.provide(Notebook("root")) }
    }
    func restoration(_ events: Events, hasDetail: Bool) -> Restoration {
      Restoration {
        Kind("opener") { $0.existing ?? Opener(events) }
        if hasDetail { Kind("detail") { $0.existing ?? Screen(events) } }
        Kind("provider", Provider.init)
      }
    }
    let first = World()
    let opener = Opener(first.events)
    opener.restorationIdentifier = "opener"
    try first.app.append(opener)
    try first.screen("detail", below: opener).note = "kept"
    let provider = Provider()
    provider.restorationIdentifier = "provider"
    try first.app.append(provider)
    let archive = restoration(first.events, hasDetail: true).archive(of: first.app)
    let world = World()
    let events = world.events
    let token = world.app.observe(Notebook.self) { app, state in
      guard case .value = state, let opener = app.children.first as? Opener else { return }
      opener.open()
      events.add("opened")
    }
    let kinds = restoration(events, hasDetail: false)
    kinds.didDecode = { _ in events.add("told") }
    world.app.launch(restoring: kinds, from: archive)
    let lines = events.lines.drop { $0 != "opened" }
    #expect(Array(lines.prefix(3)) == ["opened", "decode detail below Opener", "told"])
    #expect((world.app.children.first?.children.first as? Screen)?.note == "kept")
    #expect(kinds.report.count(.restored) == 4)
    token.cancel()
  }

  @Test(
    "An object that is added in decode or in didAttach", arguments: [Moment.attached, .decoded])
  func object(moment: Moment) throws {
    typealias Player = AddedObjectTests.Player
    final class Room: Controller, StateRestoring {
      var add: (Responder, Moment) -> Void = { _, _ in }
      override func didAttach() { add(self, .attached) }
      func encodeRestorableState(with coder: StateEncoder) throws {}
      func decodeRestorableState(with coder: StateDecoder) throws { add(self, .decoded) }
    }
    let app = Application()
    let room = Room()
    room.restorationIdentifier = "room"
    try app.append(room)
    let player = Player()
    player.volume = 9
    let saving = Restoration { Kind("room", Room.init) }
    saving.add(player, as: "player", under: room)
    let archive = saving.archive(of: app)

    let again = Application()
    let next = Player()
    weak var restoration: Restoration?
    let made = Restoration {
      Kind("room") { _ in
        let room = Room()
        room.add = { if $1 == moment { restoration?.add(next, as: "player", under: $0) } }
        return room
      }
    }
    restoration = made
    again.launch(restoring: made, from: archive)
    #expect(next.volume == 9)
    #expect(next.finished == 1)
    #expect(made.report.records.map(\.path) == [[], ["room"], ["room", "player"]])
    #expect(made.report.count(.restored) == 3)
  }

  @Test("A screen that is opened after the launch keeps its one line in the report")
  func lines() throws {
    let world = World()
    let restoration = Self.restoration(world.events, nil, hasKinds: false)
    world.app.launch(restoring: restoration, from: try Self.archive())
    #expect(
      restoration.report.records.map(\.outcome) == [.restored, .restored, .carried, .carried])
    _ = restoration.archive(of: world.app)
    let opener = try #require(world.app.children.first)
    try world.screen("detail", below: opener)
    #expect(restoration.report.records.map(\.outcome) == Array(repeating: .restored, count: 4))
    #expect(
      restoration.report.records.map { $0.path.joined(separator: "/") }
        == ["", "opener", "opener/detail", "opener/detail/inner"])
    #expect(restoration.report.records.allSatisfy { $0.reason == nil })
  }

  @Test("Two screens of one identifier that are opened later get two records")
  func twins() throws {
    let world = World()
    let restoration = Self.restoration(world.events, nil, hasKinds: false)
    world.app.launch(restoring: restoration, from: try Self.archive(details: 2))
    let opener = try #require(world.app.children.first)
    let first = try world.screen("detail", below: opener)
    first.removeFromParent()
    let second = try world.screen("detail", below: opener)
    #expect(first.note == "kept 1")
    #expect(second.note == "kept 2")
  }
}
