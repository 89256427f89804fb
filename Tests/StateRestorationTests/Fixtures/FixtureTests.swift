import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

/// Tests with an archive that a released version of the format has written. Each later version must
/// restore this archive. Only formats 1 and 2, which were in no release, are refused.
///
/// The bytes in ``FixtureArchives`` never change. A later version of the format adds an archive of
/// its own.
@Suite("Archives of earlier versions restore for ever")
struct FixtureTests {
  enum Suit: String, RestorableValue { case hearts, spades }

  struct Spot: Codable, Equatable, RestorableValue {
    var x: Double
    var name: String
    var tags: [String]
  }

  /// A controller with a value of each type.
  final class Everything: Controller {
    @Restorable("truth") var truth = false
    @Restorable("int") var int = 0
    @Restorable("negative") var negative: Int64 = 0
    @Restorable("large") var large: UInt64 = 0
    @Restorable("double") var double = 0.0
    @Restorable("float") var float: Float = 0
    @Restorable("text") var text = ""
    @Restorable("data") var data = Data()
    @Restorable("date") var date = Date(timeIntervalSinceReferenceDate: 0)
    @Restorable("uuid") var uuid: UUID?
    @Restorable("url") var url: URL?
    @Restorable("decimal") var decimal = Decimal(0)
    @Restorable("ints") var ints: [Int] = []
    @Restorable("texts") var texts: [String] = []
    @Restorable("set") var set: Set<Int> = []
    @Restorable("counts") var counts: [String: Int] = [:]
    @Restorable("nothing") var nothing: Int? = 5
    @Restorable("nested") var nested: Int?? = .none
    @Restorable("suit") var suit = Suit.hearts
    @Restorable("spot") var spot: Spot?
    @Restorable("other") var other: Controller?

    /// Sets all values except `other`, which refers to a responder.
    func fill() {
      (truth, int, negative, large) = (true, 300, -5_000_000_000, .max)
      (double, float, text) = (0.1, 0.5, "zwölf Kästen ✓")
      data = Data([0, 1, 255])
      date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
      uuid = UUID(uuidString: "5B8A1A0E-6E0B-4C1B-9C39-0B6A2E4D7F10")
      url = URL(string: "https://example.com/a%20b?c=d")
      decimal = Decimal(string: "12345678901234567890.123456789") ?? 0
      (ints, texts, set, counts) = ([1, -2, 300_000], ["a", ""], [7], ["one": 1])
      (nothing, nested, suit) = (nil, .some(nil), .spades)
      spot = Spot(x: 1.5, name: "there", tags: ["x", "y"])
    }
  }

  /// An object, not a responder, that a test adds to the restoration.
  private final class Player: StateRestoring {
    var time = 0

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(time, for: "time")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      time = try coder.decode("time") ?? 0
    }
  }

  private static func makeRestoration(_ events: Events, knowsLost: Bool) -> Restoration {
    Restoration {
      makeParts(events)
      Kind("everything", Everything.init)
      if knowsLost { Kind("lost") { _ in Form() } }
    }
  }

  /// Makes an archive like the one in ``FixtureArchives``, with the present code.
  static func makeArchive() throws -> StateArchive {
    let events = Events()
    let first = App(events)
    let earlier = makeRestoration(events, knowsLost: true)
    first.launch(restoring: earlier, from: nil)
    let lost = Form()
    lost.restorationIdentifier = "lost"
    lost.restorationKind = "lost"
    lost.draft = "kept for later"
    try first.append(lost)
    let base = earlier.archive(of: first)

    let app = App(events)
    let restoration = makeRestoration(events, knowsLost: false)
    app.provide(Notebook("root"))
    let player = Player()
    restoration.add(player, as: "player", under: app)
    app.launch(restoring: restoration, from: base)
    app.theme = "dark"
    let screen = Screen(events, "screen")
    screen.zoom = 2
    screen.note = "first"
    try app.append(screen)
    screen.branch(Notebook.self, .keep)
    let everything = Everything()
    everything.restorationIdentifier = "everything"
    try screen.append(everything)
    everything.fill()
    everything.other = screen
    // The property `other` refers to the parent, so the two responders would retain each other.
    defer { everything.other = nil }
    let reader = Reader(events, "reader")
    try screen.append(reader)
    reader.mark = PageNumber(notebook: "root", page: 3)
    reader.page = PageNumber(notebook: "root", page: 5)
    player.time = 77
    _ = restoration.archive(of: app)
    screen.change("second")
    _ = restoration.archive(of: app, asksAll: false)
    let form = Form()
    form.restorationIdentifier = "form"
    form.days = [1, 2]
    try app.append(form)
    app.invalidateRestorableState()
    return restoration.archive(of: app, asksAll: false)
  }

  private static func archive(_ text: String) throws -> StateArchive {
    let bytes = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
    return StateArchive(bytes: bytes)
  }

  @Test("The third version")
  func version3() throws { try check(Self.archive(FixtureArchives.version3)) }

  @Test("The first version, which no release has written, is refused by name")
  func version1() throws {
    let fault = try Self.archive(FixtureArchives.version1).validate().fault
    #expect(fault == .olderFormat(1))
    #expect(fault?.description.contains("format 1") == true)
  }

  @Test("The archive that the present code writes restores the same")
  func present() throws {
    let archive = try Self.makeArchive()
    if ProcessInfo.processInfo.environment["LINEAGE_PRINT_FIXTURE"] != nil {
      print(Data(archive.bytes).base64EncodedString(options: .lineLength76Characters))
    }
    try check(archive)
  }

  /// Checks that an archive restores all values and all records of the fixture.
  private func check(_ archive: StateArchive) throws {
    let findings = archive.validate()
    #expect(findings.fault == nil)
    #expect(findings.damaged == 0 && findings.unusedBytes == 0)
    #expect(findings.records == 7)

    let events = Events()
    let app = App(events)
    app.provide(Notebook("root"))
    let restoration = Self.makeRestoration(events, knowsLost: false)
    let player = Player()
    restoration.add(player, as: "player", under: app)
    app.launch(restoring: restoration, from: archive)
    #expect(restoration.report.problems == [])
    #expect(restoration.report.count(.restored) == 6)
    #expect(restoration.report.count(.carried) == 1)
    #expect(app.theme == "dark")
    #expect(player.time == 77)
    let screen = try #require(
      app.children.first { $0.restorationIdentifier == "screen" } as? Screen)
    #expect(screen.zoom == 2 && screen.note == "second")
    #expect(screen.context(Notebook.self)?.parent?.name == "root")
    let form = try #require(app.children.first { $0 is Form } as? Form)
    #expect(form.days == [1, 2])
    let reader = try #require(screen.children.first { $0 is Reader } as? Reader)
    #expect(reader.mark == PageNumber(notebook: "root", page: 3))
    #expect(reader.page == PageNumber(notebook: "root", page: 5))
    let restored = try #require(screen.children.first { $0 is Everything } as? Everything)
    let expected = Everything()
    expected.fill()
    #expect(restored.other === screen)
    // The property `other` refers to the parent, so the two responders would retain each other.
    restored.other = nil
    #expect(restored.truth == expected.truth && restored.int == expected.int)
    #expect(restored.negative == expected.negative && restored.large == expected.large)
    #expect(restored.double == expected.double && restored.float == expected.float)
    #expect(restored.text == expected.text && restored.data == expected.data)
    #expect(restored.date == expected.date && restored.uuid == expected.uuid)
    #expect(restored.url == expected.url && restored.decimal == expected.decimal)
    #expect(restored.ints == expected.ints && restored.texts == expected.texts)
    #expect(restored.set == expected.set && restored.counts == expected.counts)
    #expect(restored.nothing == nil && restored.nested == .some(nil))
    #expect(restored.suit == expected.suit && restored.spot == expected.spot)

    // A program that knows the kind again restores the carried record.
    let later = App(events)
    let again = Self.makeRestoration(events, knowsLost: true)
    later.launch(restoring: again, from: archive)
    let lost = later.children.first { $0.restorationIdentifier == "lost" } as? Form
    #expect(lost?.draft == "kept for later")
  }
}
