import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A module above adds a part to records")
struct RecordPartTests {
  /// A part that only these tests have: a text for each responder. It needs the notes.
  private final class Sketches: RecordPart {
    let name = "sketch"
    let events: Events
    var texts: [ObjectIdentifier: String] = [:]
    var error: (any Error)?
    /// The store for which applied parts wait; nil if they do not.
    var otherStore: String?
    /// The rest of each applied part, for the next launch.
    var rest: ArchivedPart?
    var asked = 0

    init(_ events: Events) { self.events = events }

    func part(of responder: Responder) throws -> ArchivedPart? {
      asked += 1
      if let error { throw error }
      return texts[ObjectIdentifier(responder)].map {
        ArchivedPart(name: name, needs: ["notes"], bytes: Array($0.utf8))
      }
    }

    func read(_ part: ArchivedPart, for responder: Responder) throws -> any ReadPart {
      events.add("read \(responder.restorationIdentifier ?? "?")")
      return Read(text: String(decoding: part.bytes, as: UTF8.self), responder, self)
    }

    func prefetch(_ parts: [any ReadPart]) -> Any? {
      events.add("prefetch \(parts.count)")
      return nil
    }

    func problem(at responder: Responder) -> String? { nil }

    func didHandOver(_ responder: Responder) {}

    func isEqual(_ part: ArchivedPart, _ other: ArchivedPart) -> Bool { part.bytes == other.bytes }
  }

  private final class Read: ReadPart {
    let text: String
    let responder: Responder
    let sketches: Sketches

    init(text: String, _ responder: Responder, _ sketches: Sketches) {
      (self.text, self.responder, self.sketches) = (text, responder, sketches)
    }

    func apply() throws -> PartOutcome {
      if let error = sketches.error { throw error }
      let child = responder.hasBranchChild(Notebook.self) ? "a child" : "no child"
      sketches.events.add("apply \(responder.restorationIdentifier ?? "?") with \(child)")
      if let store = sketches.otherStore { return .waiting("it waits for \(store).") }
      sketches.texts[ObjectIdentifier(responder)] = text
      return .applied([], rest: sketches.rest)
    }
  }

  private struct Desk {
    let world = World()
    let sketches: Sketches
    var restoration: Restoration { world.restoration }

    /// Launches an application with an archive. The notes come before the launch, later, or never.
    init(
      _ archive: StateArchive?, notes: Bool = true, hasPart: Bool = true,
      _ prepare: (Restoration) -> Void = { _ in }
    ) {
      sketches = Sketches(world.events)
      if hasPart { world.restoration.add(sketches) }
      if notes { world.app.provide(Notebook("root")) }
      prepare(world.restoration)
      world.app.launch(restoring: world.restoration, from: archive)
    }

    func draw(_ text: String?, at responder: Responder?) {
      guard let responder else { return }
      sketches.texts[ObjectIdentifier(responder)] = text
      responder.noteKeptChanges()
    }

    func sketch(_ path: String...) -> String? {
      var node: Responder? = world.app
      for name in path { node = node?.children.first { $0.restorationIdentifier == name } }
      return node.flatMap { sketches.texts[ObjectIdentifier($0)] }
    }

    var changes: StateArchive { restoration.archive(of: world.app, asksAll: false) }
    var applied: [String] {
      world.events.lines.filter { $0.hasPrefix("apply") || $0.hasPrefix("decode") }
    }
  }

  /// Returns an archive of a screen with a branch, a screen below it, and a form. The two screens
  /// have sketches.
  private static func archive() throws -> StateArchive {
    let desk = Desk(nil)
    let outer = try desk.world.screen("outer")
    outer.restorationKind = "screen"
    outer.branch(Notebook.self, .keep)
    let inner = try desk.world.screen("inner", below: outer)
    inner.restorationKind = "screen"
    let form = Form()
    form.restorationIdentifier = "form"
    form.draft = "draft"
    try desk.world.app.append(form)
    desk.draw("first", at: outer)
    desk.draw("second", at: inner)
    return desk.world.archive
  }

  @Test("It is applied to parents first, before any value is decoded, and with branches made")
  func order() throws {
    let desk = Desk(try Self.archive())
    #expect(desk.sketch("outer") == "first" && desk.sketch("outer", "inner") == "second")
    #expect(
      desk.applied.prefix(3) == [
        "apply outer with a child", "apply inner with no child", "decode application",
      ])
    let reads = desk.world.events.lines.filter { $0.hasPrefix("read") || $0.hasPrefix("prefetch") }
    #expect(reads == ["read outer", "read inner", "prefetch 2"])
    #expect(desk.restoration.report.problems == [])
    #expect(desk.restoration.brokenInvariant == nil)
  }

  @Test("It waits for its context, is kept meanwhile, and is applied before late values")
  func late() throws {
    var archive = try Self.archive()
    for _ in 0..<2 {
      let desk = Desk(archive, notes: false)
      #expect(desk.sketch("outer") == nil)
      #expect(desk.restoration.report.count(.waiting) == 2)
      // What waits is no edit, even if the part is said to have changed.
      try #require(desk.world.find("outer")).noteKeptChanges()
      archive = desk.changes
    }
    let desk = Desk(archive, notes: false)
    desk.world.events.lines = []
    desk.world.app.provide(Notebook("root"))
    #expect(desk.applied == ["apply outer with a child", "apply inner with no child"])
    #expect(desk.sketch("outer") == "first" && desk.sketch("outer", "inner") == "second")
    #expect(desk.restoration.report.count(.waiting) == 0)
    #expect(desk.restoration.brokenInvariant == nil)
  }

  @Test("It has a mark of change of its own, and is copied as bytes without one")
  func change() throws {
    let desk = Desk(try Self.archive())
    let outer = try #require(desk.world.find("outer"))
    let first = desk.changes
    #expect(desk.sketches.asked == 0)
    #expect(desk.changes == first)
    desk.sketches.texts[ObjectIdentifier(outer)] = "not noted"
    outer.note = "not noted either"
    desk.draw("new", at: desk.world.find("outer", "inner"))
    let next = Desk(desk.changes)
    #expect(desk.sketches.asked == 1)
    #expect(next.sketch("outer") == "first" && next.sketch("outer", "inner") == "new")
    #expect(next.world.find("outer")?.note == nil)
    desk.draw(nil, at: outer)
    #expect(Desk(desk.changes).sketch("outer") == nil)
  }

  @Test("It is carried, and is kept by a launch that does not know it")
  func carried() throws {
    var archive = try Self.archive()
    for extent in [Restoration.Extent.minimum, .nothing] {
      let desk = Desk(archive) { $0.ask = { _ in extent } }
      #expect(desk.sketch("outer") == nil)
      archive = desk.world.archive
    }
    let other = Desk(archive, hasPart: false)
    other.world.find("outer")?.note = "edited"
    archive = other.world.archive
    let desk = Desk(archive)
    #expect(desk.sketch("outer") == "first" && desk.sketch("outer", "inner") == "second")
    #expect(desk.world.find("outer")?.note == "edited")
  }

  @Test("Of a part that is too large, nothing is kept, neither a piece nor an older state")
  func refused() throws {
    let desk = Desk(try Self.archive())
    let outer = try #require(desk.world.find("outer"))
    desk.restoration.limits.editBytes = 100
    for count in 101..<103 {
      desk.draw(String(repeating: "x", count: count), at: outer)
      #expect(Desk(desk.changes).sketch("outer") == "")
    }
    let problem =
      "outer: its changes of sketch are not archived: It has 101 bytes; the limit is 100."
    #expect(desk.restoration.report.problems == [problem])
    desk.draw("short", at: outer)
    #expect(Desk(desk.changes).sketch("outer") == "short")
    desk.draw(String(repeating: "x", count: 103), at: outer)
    _ = desk.changes
    let next = problem.replacing("101", with: "103")
    #expect(desk.restoration.report.problems == [problem, next])
    desk.draw("refused", at: outer)
    desk.restoration.limits.archiveBytes = 10
    _ = desk.changes
    desk.restoration.limits.archiveBytes = 1 << 20
    #expect(Desk(desk.changes).sketch("outer") == "refused")
  }

  @Test("A part that cannot be applied is kept for the next launch, beside the present one")
  func unreadable() throws {
    let first = Desk(nil)
    let desk = Desk(try Self.archive(), notes: false)
    desk.sketches.error = Mishap("unreadable")
    desk.world.app.provide(Notebook("root"))
    #expect(desk.sketch("outer") == nil)
    #expect(desk.restoration.report.problems.count == 2)
    #expect(Desk(desk.world.archive).sketch("outer") == "first")
    desk.sketches.error = nil
    desk.draw("new", at: desk.world.find("outer"))
    let changes = desk.changes
    for text in ["first", "new"] { #expect(changes.bytes.contains(Array(text.utf8))) }
    withExtendedLifetime(first) {}
  }

  @Test("A part of another store waits without keeping its responder waiting, beside a present one")
  func otherStore() throws {
    let archive = try Self.archive()
    let desk = Desk(nil, notes: false)
    desk.sketches.otherStore = "the cellar"
    desk.restoration.restore(archive, into: desk.world.app)
    desk.world.app.provide(Notebook("root"))
    #expect(desk.sketch("outer") == nil && desk.restoration.report.count(.waiting) == 0)
    #expect(desk.restoration.report.notes.count { $0.hasSuffix("waits for the cellar.") } == 2)
    desk.draw("another", at: desk.world.find("outer"))
    let changes = desk.changes
    for text in ["first", "another"] { #expect(changes.bytes.contains(Array(text.utf8))) }
    desk.sketches.otherStore = nil
    desk.world.app.provide(Notebook("the cellar"))
    #expect(desk.sketch("outer") == "first" && desk.sketch("outer", "inner") == "second")
    #expect(desk.restoration.brokenInvariant == nil)
  }

  @Test("The rest of a part is kept for the next launch, and is not tried again in this one")
  func rest() throws {
    let desk = Desk(try Self.archive(), notes: false)
    desk.sketches.rest = ArchivedPart(name: "sketch", needs: [], bytes: Array("rest".utf8))
    desk.world.app.provide(Notebook("root"))
    desk.world.app.provide(Notebook("another"))
    #expect(desk.sketch("outer") == "first")
    let changes = desk.changes
    desk.sketches.texts = [:]
    #expect(Desk(changes).sketch("outer") == "rest")
    desk.draw("new", at: desk.world.find("outer"))
    #expect(desk.changes.bytes.contains(Array("rest".utf8)))
  }

  @Test("Erasing removes it, and a screen that comes back or moves brings it")
  func erased() throws {
    let desk = Desk(try Self.archive())
    let inner = try #require(desk.world.find("outer", "inner"))
    desk.sketches.texts[ObjectIdentifier(inner)] = nil
    desk.restoration.erase(at: ["outer", "inner"])
    #expect(!desk.world.archive.bytes.contains(Array("second".utf8)))
    desk.draw("third", at: inner)
    inner.removeFromParent()
    #expect(Desk(desk.changes).sketch("outer", "inner") == nil)
    try desk.world.app.append(inner)
    #expect(Desk(desk.changes).sketch("inner") == "third")

    let other = Desk(nil)
    inner.removeFromParent()
    try other.world.app.append(inner)
    #expect(Desk(other.world.archive).sketch("inner") == "third")
  }

  @Test("After another archive was restored, it is that of the archive, or the present one")
  func restored() throws {
    let archive = try Self.archive()
    let desk = Desk(archive)
    let new = try desk.world.screen("new")
    desk.draw("new", at: new)
    desk.draw("changed", at: desk.world.find("outer"))
    desk.restoration.restore(archive, into: desk.world.app)
    #expect(desk.sketch("outer") == "first" && desk.sketch("new") == "new")
    let next = Desk(desk.changes)
    #expect(next.sketch("outer") == "first")
    #expect(next.world.find("new") != nil || next.restoration.report.count(.carried) == 1)
    #expect(desk.changes.bytes.contains(Array("new".utf8)))
  }
}
