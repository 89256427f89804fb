import Foundation
import Lineage
import LineageTestSupport
import Testing

extension ArticleTests {
  /// A recording.
  struct Sound: Entity {
    var title = ""
    static let schema = Schema<Sound>("Sound") { Attribute("title", \.title) }
  }

  struct Playback: ContextualValue {
    var seconds = 0.0
    var sound: Object<Sound>?

    typealias Early = Double
    static func standIn(for seconds: Double) -> Playback? { Playback(seconds: seconds) }

    func write(to writer: inout ValueWriter) throws {
      try writer.writeEarly(seconds) { try sound.write(to: &$0) }
    }

    static func read(from reader: inout ValueReader) throws -> Playback {
      try reader.readEarly { seconds, reader in
        Playback(seconds: seconds ?? 0, sound: try Object<Sound>?.read(from: &reader))
      }
    }
  }

  final class CardsScreen: Controller {
    @Restorable("deck", keeping: \.name) var deck: Object<Deck>?
    @Restorable("selection") var selection = ListPlace<Card>()
    private var list: LiveList<Card>?
    private var token: ObjectObservation?

    convenience init(_ deck: Object<Deck>) {
      self.init()
      self.deck = deck
    }

    override init() {
      super.init()
      $deck.onEnd { $0.removeFromParent() }
      onChange(of: ObjectContext.self) { screen, context in
        screen.attempt { try screen.show(in: context.value) }
      }
    }

    func lines() -> [String] {
      let title = $deck.kept ?? ""  // there in the first frame
      let rows = list?.map { $0 === selection.object ? "> \($0.question)" : $0.question }
      return [title] + (rows ?? ["row \(selection.index + 1) …"])
    }

    func select(_ row: Int) {
      if let list { selection = ListPlace(at: row, in: list) }
    }

    private func show(in context: ObjectContext?) throws {
      let id = deck?.id
      let request = FetchRequest<Card>(where: { $0.deck == id }, sort: { $0.question })
      list = try context.map { try LiveList(request, in: $0) }
      token = list?.observe { [weak self] list, _ in self?.selection.follow(list) }
      if let list { selection.follow(list) }
    }
  }

  private final class Player: Controller {
    @Restorable("playback") var playback = Playback()
    @Restorable("earlier") var earlier: [Playback] = []
  }

  private func restoration() -> Restoration {
    Restoration {
      Kind("cards") { CardsScreen() }
      Kind("player", Player.init)
      ContextName.objects
    }
  }

  @Test("The first frame")
  func firstFrame() throws {
    let store = try MemoryStore([Card.self, Deck.self], id: "cards")
    let application = Application()
    let context = store.makeContext()
    application.provide(context)
    let deck = try context.insert(Deck(name: "Spanish"))
    for question in ["a", "b", "c"] { try context.insert(Card(question: question, deck: deck.id)) }
    try context.save()
    let screen = CardsScreen(deck)
    try application.append(screen, as: "cards")
    screen.select(1)
    #expect(screen.lines() == ["Spanish", "a", "> b", "c"])

    let (again, restoration) = (Application(), restoration())
    let delivery = again.expect(ObjectContext.self)
    again.launch(restoring: restoration, from: self.restoration().archive(of: application))
    let restored = try #require(again.children.first as? CardsScreen)
    #expect(restored.lines() == ["Spanish", "row 2 …"])
    try context.delete(context.fetch(Card.self, where: { $0.question == "b" }))
    try context.save()
    delivery.deliver(store.makeContext())
    again.drain()
    #expect(restored.lines() == ["Spanish", "a", "> c"])
    try again.require(ObjectContext.self).delete(#require(restored.deck))
    #expect(again.children.isEmpty)
  }

  @Test("The first frame and the next ones")
  func frames() async throws {
    let drawer = try Drawer()
    let (application, url) = (Application(), drawer.file("cards.sqlite"))
    let restoration = Restoration(in: .at(drawer.file("state"))) { ContextName.objects }
    var frames: [Bool] = []
    func draw(_ application: Application) {
      frames.append(application.context(ObjectContext.self) != nil)
      if frames.last == true { application.terminate() }
    }
    application.openStore(at: url, [Card.self, Deck.self])
    application.launch(restoring: restoration)
    draw(application)
    application.onTurn { draw($0) }
    await application.run()
    #expect(frames.first == false && frames.last == true)
  }

  @Test("A value with an early part")
  func earlyPart() throws {
    let store = try MemoryStore([Sound.self], id: "sounds")
    let application = Application()
    let context = store.makeContext()
    application.provide(context)
    let player = Player()
    try application.append(player, as: "player")
    player.playback = Playback(seconds: 12.5, sound: try context.insert(Sound(title: "rain")))
    player.earlier = [Playback(seconds: 3), player.playback]
    try context.save()
    let (again, restoration) = (Application(), restoration())
    let delivery = again.expect(ObjectContext.self)
    again.launch(restoring: restoration, from: self.restoration().archive(of: application))
    let restored = try #require(again.children.first as? Player)
    #expect(restored.playback.seconds == 12.5 && restored.playback.sound == nil)
    #expect(restored.earlier.map(\.seconds) == [3, 12.5])
    delivery.deliver(store.makeContext())
    again.drain()
    #expect(restored.playback.sound?.title == "rain" && restored.playback.seconds == 12.5)
    #expect(restored.earlier.map { $0.sound?.title } == [nil, "rain"])
  }
}
