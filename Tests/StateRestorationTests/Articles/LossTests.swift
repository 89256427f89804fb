import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The article about what is lost is true")
struct LossTests {
  @Test("A change that a method was not told of is in the next whole archive only")
  func withoutInvalidation() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let screen = try world.screen("screen")
    screen.note = "before"
    _ = world.archive
    screen.note = "after"
    let changes = world.restoration.archive(of: world.app, asksAll: false)
    #expect(try World.restored(changes).find("screen")?.note == "before")
    #expect(try World.restored(world.archive).find("screen")?.note == "after")
  }

  /// A controller that saves three values. If `isBroken` is true, its decoding throws before it
  /// reads the second value.
  private final class Throwing: Controller, StateRestoring {
    var values = [1, 1, 1]
    @Restorable("draft") var draft = ""
    var isBroken = false

    func encodeRestorableState(with coder: StateEncoder) throws {
      for (index, value) in values.enumerated() {
        try coder.encode(value, for: StateKey("\(index)"))
      }
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      for index in values.indices {
        if isBroken, index == 1 { throw Mishap("no luck") }
        values[index] = try coder.decode(StateKey<Int>("\(index)")) ?? 1
      }
    }
  }

  @Test("A method that throws while it reads loses what it had not read")
  func throwingDecoder() throws {
    let throwing = Throwing()
    let (first, saving) = try launched(throwing, "throwing")
    throwing.values = [5, 6, 7]
    throwing.draft = "half"
    let archive = saving.archive(of: first)
    let broken = Throwing()
    broken.isBroken = true
    let (second, restoration) = try launched(broken, "throwing", from: archive)
    #expect(broken.values == [5, 1, 1])
    #expect(broken.draft == "half")
    #expect(restoration.report.problems.count == 1)
    let restored = Throwing()
    let (third, _) = try launched(restored, "throwing", from: restoration.archive(of: second))
    #expect(restored.values == [5, 1, 1])
    #expect(third.children.first === restored)
  }

  /// Returns the archive of a screen "a" with a screen "b" below it.
  private static func nested() throws -> StateArchive {
    let world = World()
    world.app.launch()
    let a = try world.screen("a")
    try world.screen("b", below: a).note = "kept"
    return kinds(world, ["a", "b"]).archive(of: world.app)
  }

  private static func kinds(_ world: World, _ names: [String]) -> Restoration {
    let events = world.events
    return Restoration {
      for name in names {
        Kind(name) { request in request.existing ?? Screen(events) }
      }
    }
  }

  @Test("A record that is kept for later goes with the responder above it")
  func carriedBelowRemoved() throws {
    for isRemoved in [false, true] {
      let world = World()
      let restoration = Self.kinds(world, ["a"])
      world.app.launch(restoring: restoration, from: try Self.nested())
      #expect(restoration.report.count(.carried) == 1)
      if isRemoved { world.find("a")?.removeFromParent() }
      let again = World()
      let next = Self.kinds(again, ["a", "b"])
      again.app.launch(restoring: next, from: restoration.archive(of: world.app))
      #expect(again.find("a", "b")?.note == (isRemoved ? nil : "kept"))
    }
  }

  @Test("A value that waits goes with its responder")
  func waitingIsRemoved() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch()
    try world.reader(page: 7)
    let again = try World.restored(world.archive) { _ = $0.app.expect(Notebook.self) }
    let waiting = try #require(again.app.children.first as? Reader)
    waiting.removeFromParent()
    let next = again.archive
    again.app.provide(Notebook("root"))
    #expect(waiting.page == nil)
    #expect(try World.restored(next).app.children.isEmpty)
  }

  @Test("An archive over the limit is neither made nor read")
  func archiveOverLimit() throws {
    let archive = try Self.nested()
    let world = World()
    let restoration = Self.kinds(world, ["a", "b"])
    restoration.limits.archiveBytes = archive.count - 1
    world.app.launch(restoring: restoration, from: archive)
    #expect(world.app.children.isEmpty)
    #expect(
      restoration.report.archive.fault
        == .tooLarge(
          "it has \(archive.count) bytes, and the limit is \(archive.count - 1)"))
    for number in 0..<100 { try world.screen("\(number)") }
    #expect(restoration.archive(of: world.app).count <= restoration.limits.archiveBytes)
    #expect(restoration.report.problems.contains { $0.contains("the limit is") })
  }

  @Test("Archives of changes are made whole when more was appended than there was")
  func growth() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let screen = try world.screen("screen")
    let base = world.archive.count
    for number in 0..<100 {
      screen.note = "\(number % 10)"
      screen.invalidateRestorableState()
      #expect(world.restoration.archive(of: world.app, asksAll: false).count < 4 * base)
    }
  }

  @Test("A damaged record is lost with all below it, and not kept")
  func damaged() throws {
    let archive = try Self.nested()
    var bytes = archive.bytes
    // The first byte of the key "zoom", which only the records of screens have.
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: Array("zoom".utf8)) })
    bytes[place] ^= 1
    let world = World()
    let restoration = Self.kinds(world, ["a", "b"])
    world.app.launch(restoring: restoration, from: StateArchive(bytes: bytes))
    #expect(world.app.children.isEmpty)
    #expect(restoration.report.count(.damaged) == 1)
    let again = World()
    let next = Self.kinds(again, ["a", "b"])
    again.app.launch(restoring: next, from: restoration.archive(of: world.app))
    #expect(next.report.records.map(\.path) == [[]])
  }

  @Test("Erasing forgets what waits, what is kept for later and what nothing has read")
  func erasing() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch()
    let reader = Reader(world.events, "reader")
    reader.draft = "half"
    let form = Form()
    form.restorationIdentifier = "form"
    form.draft = "unread"
    let screen = try world.screen("screen")
    screen.note = "here"
    try world.app.append(reader)
    try world.app.append(form)
    try world.screen("unknown")
    reader.page = PageNumber(notebook: "root", page: 7)

    let again = World()
    let delivery = again.app.expect(Notebook.self)
    let events = again.events
    let restoration = Restoration {
      Kind("reader") { request in request.existing ?? Reader(events) }
      Kind("form", Form.init)
      Kind("screen") { request in request.existing ?? Screen(events) }
      ContextName("notes", Notebook.self)
    }
    again.app.launch(restoring: restoration, from: world.archive)
    let waiting = try #require(again.app.children.first { $0 is Reader } as? Reader)
    let unread = try #require(again.app.children.first { $0 is Form } as? Form)
    #expect(restoration.report.count(.carried) == 1)
    #expect(waiting.$page.isWaiting)
    restoration.erase()
    delivery.deliver(Notebook("root"))
    again.app.drain()
    #expect(waiting.page == nil)
    #expect(unread.draft == "")
    #expect(again.find("screen")?.note == "here")
    let third = try World.restored(restoration.archive(of: again.app)) {
      $0.app.provide(Notebook("root"))
    }
    #expect(third.app.children.count == 3)
    #expect(third.find("screen")?.note == "here")
    #expect((third.app.children.first { $0 is Reader } as? Reader)?.page == nil)
  }
}
