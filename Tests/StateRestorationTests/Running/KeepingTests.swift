import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("State that was not read, not encoded or not wanted is kept")
struct KeepingTests {
  /// A controller whose encoding and decoding call closures that a test can set.
  private final class Custom: Controller, StateRestoring {
    var encode: (StateEncoder) throws -> Void = { _ in }
    var decode: (StateDecoder) throws -> Void = { _ in }
    func encodeRestorableState(with coder: StateEncoder) throws { try encode(coder) }
    func decodeRestorableState(with coder: StateDecoder) throws { try decode(coder) }
  }

  private static func launch(
    _ archive: StateArchive?, _ decode: @escaping (StateDecoder) throws -> Void = { _ in }
  ) throws -> (Application, Custom, Restoration) {
    let custom = Custom()
    custom.decode = decode
    let (app, restoration) = try launched(custom, "custom", from: archive)
    return (app, custom, restoration)
  }

  private static func archive(_ encode: @escaping (StateEncoder) throws -> Void) throws
    -> StateArchive
  {
    let (app, custom, restoration) = try launch(nil)
    custom.encode = encode
    let archive = restoration.archive(of: app)
    #expect(restoration.report.problems == [])
    return archive
  }

  @Test("A key that nobody reads in this launch is in the next archive")
  func unread() throws {
    let archive = try Self.archive {
      try $0.encode(1, for: "read")
      try $0.encode("text", for: "unread")
    }
    let (app, custom, restoration) = try Self.launch(archive) {
      let read: Int? = try $0.decode("read")
      #expect(read == 1)
    }
    custom.encode = { try $0.encode(2, for: "other") }
    var values: [String?] = []
    var numbers: [Int?] = []
    _ = try Self.launch(restoration.archive(of: app)) {
      values.append(try $0.decode("unread"))
      numbers.append(try $0.decode("read"))
      numbers.append(try $0.decode("other"))
    }
    #expect(values == ["text"])
    #expect(numbers == [nil, 2])
  }

  @Test("A kept nil is nil, an absent key gives the default, and nil is nil for each type")
  func nils() throws {
    let archive = try Self.archive { try $0.encode(nil as Int?, for: "nothing") }
    _ = try Self.launch(archive) {
      #expect($0.contains("nothing"))
      #expect(!$0.contains("absent"))
      let number: Int? = try $0.decode("nothing")
      let text: String? = try $0.decode("nothing")
      let absent: Int? = try $0.decode("absent")
      #expect(number == nil && text == nil && absent == nil)
    }
    let app = App()
    app.launch()
    let form = Optionals()
    form.restorationIdentifier = "optionals"
    try app.append(form)
    form.value = nil
    let kinds = { Restoration { Kind("optionals", Optionals.init) } }
    let again = App()
    again.launch(restoring: kinds(), from: kinds().archive(of: app))
    let restored = try #require(again.children.first as? Optionals)
    #expect(restored.value == nil)
    #expect(restored.other == 5)
  }

  private final class Optionals: Controller {
    @Restorable("value") var value: Int? = 4
    @Restorable("other") var other: Int? = 5
  }

  @Test("A value of another type costs its key, and its bytes stay until it is set")
  func otherType() throws {
    let texts = Texts()
    let (app, saving) = try launched(texts, "it")
    texts.value = "text"
    texts.other = "more"
    let archive = saving.archive(of: app)

    let numbers = Numbers()
    let (second, restoration) = try launched(numbers, "it", from: archive)
    #expect(numbers.value == 1)
    #expect(numbers.other == "more")
    #expect(restoration.report.problems.count == 1)
    let next = restoration.archive(of: second)

    let again = Texts()
    try launched(again, "it", from: next)
    #expect(again.value == "text")

    numbers.value = 9
    let last = Numbers()
    try launched(last, "it", from: restoration.archive(of: second))
    #expect(last.value == 9)
  }

  private final class Texts: Controller {
    @Restorable("value") var value = ""
    @Restorable("other") var other = ""
  }

  private final class Numbers: Controller {
    @Restorable("value") var value = 1
    @Restorable("other") var other = ""
  }

  @Test("An encoder that throws leaves the last good record")
  func throwing() throws {
    let archive = try Self.archive { try $0.encode(1, for: "number") }
    let (app, custom, restoration) = try Self.launch(archive)
    custom.encode = { coder in
      try coder.encode(2, for: "number")
      throw Mishap("no luck")
    }
    var number: Int?
    _ = try Self.launch(restoration.archive(of: app)) { number = try $0.decode("number") }
    #expect(number == 1)
    #expect(restoration.report.problems.count == 1)
    #expect(restoration.report.problems[0].contains("custom"))
  }

  @Test("A value over the limit is refused with path, key and size; its last bytes stay")
  func tooLarge() throws {
    let archive = try Self.archive {
      try $0.encode(Data([1, 2, 3]), for: "data")
      try $0.encode(1, for: "number")
    }
    let (app, custom, restoration) = try Self.launch(archive) {
      _ = try $0.decode("data") as Data?
      _ = try $0.decode("number") as Int?
    }
    custom.encode = {
      try $0.encode(Data(count: 5 << 20), for: "data")
      try $0.encode(2, for: "number")
    }
    var data: Data?
    var number: Int?
    _ = try Self.launch(restoration.archive(of: app)) {
      data = try $0.decode("data")
      number = try $0.decode("number")
    }
    #expect(data == Data([1, 2, 3]))
    #expect(number == 2)
    let problem = try #require(restoration.report.problems.first)
    for part in ["custom", "\"data\"", "5242885"] { #expect(problem.contains(part)) }
  }

  @Test("The same key twice is an error, and a missing ContextName costs one value only")
  func mistakes() throws {
    let (app, custom, restoration) = try Self.launch(nil)
    custom.encode = { coder throws in
      try coder.encode(1, for: "a")
      #expect(throws: StateError.self) { try coder.encode(2, for: "a") }
      try coder.encode(PageNumber(notebook: "n", page: 1), for: "page")
      try coder.encode(3, for: "b")
    }
    var number: Int?
    var other: Int?
    _ = try Self.launch(restoration.archive(of: app)) {
      number = try $0.decode("a")
      other = try $0.decode("b")
    }
    #expect((number, other) == (1, 3))
    #expect(restoration.report.problems.contains { $0.contains("\"page\"") })
  }

  @Test("An application that wants its own record only keeps the others")
  func minimum() throws {
    let world = World()
    world.app.launch()
    world.app.theme = "dark"
    try world.screen("screen").note = "kept"
    let archive = world.archive
    for extent in [Restoration.Extent.minimum, .nothing] {
      let again = World()
      again.restoration.ask = { _ in extent }
      again.app.launch(restoring: again.restoration, from: archive)
      #expect(again.app.theme == (extent == .minimum ? "dark" : "light"))
      #expect(again.app.children.isEmpty)
      let third = try World.restored(again.archive)
      #expect(third.find("screen")?.note == "kept")
      #expect(third.app.theme == "dark")
    }
  }

  @Test("An ancestor without an identifier is reported")
  func withoutIdentifier() throws {
    let world = World()
    world.app.launch()
    let middle = Controller()
    try world.app.append(middle)
    try world.screen("screen", below: middle)
    _ = world.archive
    #expect(world.restoration.report.notes.count == 1)
    #expect(world.restoration.report.notes[0].contains("Controller in App"))
  }

  @Test("So is one to which an object was added")
  func objectWithoutIdentifier() throws {
    final class Player: StateRestoring {
      func encodeRestorableState(with coder: StateEncoder) throws {}
      func decodeRestorableState(with coder: StateDecoder) throws {}
    }
    let world = World()
    world.app.launch()
    let middle = Controller()
    let below = Controller()
    try middle.append(below)
    try world.app.append(middle)
    let player = Player()
    world.restoration.add(player, as: "player", under: below)
    _ = world.archive
    #expect(world.restoration.report.notes.count == 1)
    #expect(world.restoration.report.notes[0].hasPrefix("player is not archived, because Cont"))
  }

  @Test("Siblings with the same identifier are told apart by order, and reported")
  func siblings() throws {
    let world = World()
    world.app.launch()
    for number in 1...3 { try world.screen("screen").note = "\(number)" }
    let archive = world.archive
    #expect(world.restoration.report.notes.count == 1)
    let again = try World.restored(archive) { world in
      try world.screen("screen")
    }
    #expect(again.app.children.compactMap { ($0 as? Screen)?.note } == ["1", "2", "3"])
  }
}
