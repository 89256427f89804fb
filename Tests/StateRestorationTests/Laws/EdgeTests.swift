import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Trees and saves that are seldom made")
struct EdgeTests {
  /// Returns the states of the tree that is restored from an archive.
  private static func states(_ archive: StateArchive) throws -> [String] {
    let (app, restoration) = try scriptedLaunch(archive)
    #expect(restoration.report.problems == [])
    return app.scriptedStates
  }

  @Test(
    "Values that are set back to earlier ones and to the initial one", arguments: [false, true])
  func setBack(isFull: Bool) throws {
    let (app, restoration) = try scriptedLaunch(nil)
    let one = Scripted("one", number: 1)
    try app.append(one)
    func save() -> StateArchive {
      isFull ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
    }
    for (number, text) in [(1, "a"), (2, "b"), (1, "a"), (0, "initial"), (0, "initial"), (3, "a")] {
      one.text = text
      one.number = number
      one.invalidateRestorableState()
      let archive = save()
      #expect(try Self.states(archive) == ["one \(number) \(text)"])
      // The next launch sets the text back before anything has read the archived text.
      let (again, next) = try scriptedLaunch(archive)
      let found = try #require(again.children.first as? Scripted)
      found.text = "initial"
      #expect(try Self.states(next.archive(of: again, asksAll: false)) == ["one \(number) initial"])
      #expect(try Self.states(next.archive(of: again)) == ["one \(number) initial"])
    }
  }

  @Test("Identifiers with slashes, empty ones and equal ones are different paths")
  func identifiers() throws {
    let (app, restoration) = try scriptedLaunch(nil)
    var number = 0
    func add(_ identifier: String, below parent: Responder) throws -> Scripted {
      number += 1
      let made = Scripted(identifier, number: number)
      made.text = "\(number)"
      try parent.append(made)
      return made
    }
    for identifier in ["a", "a/b", "", "/", "\u{0}", "é", "e\u{301}", "a"] {
      let parent = try add(identifier, below: app)
      for other in ["b", "", "/", ""] { _ = try add(other, below: parent) }
    }
    let expected = app.scriptedStates
    #expect(expected.count == 40)
    let base = restoration.archive(of: app)
    #expect(try Self.states(base) == expected)
    // All responders exist before the launch, and each of them gets its own values.
    let (again, next) = try scriptedLaunch(base) { again in
      for child in app.children {
        let made = Scripted(child.restorationIdentifier)
        try again.append(made)
        for below in child.children { try made.append(Scripted(below.restorationIdentifier)) }
      }
    }
    #expect(again.scriptedStates == expected)
    #expect(next.archive(of: again, asksAll: false) == base)
    for case let one as Scripted in again.descendants where one.restorationIdentifier == "" {
      one.text = "changed"
    }
    #expect(try Self.states(next.archive(of: again, asksAll: false)) == again.scriptedStates)
  }

  @Test("An identifier that becomes a sibling's keeps its values", arguments: [false, true])
  func becomesSibling(isRead: Bool) throws {
    let (app, restoration) = try scriptedLaunch(nil)
    for (number, name) in ["a", "b", "c"].enumerated() {
      let made = Scripted(name, number: number)
      made.text = name
      try app.append(made)
    }
    let (again, next) = try scriptedLaunch(restoration.archive(of: app))
    let all = again.children.compactMap { $0 as? Scripted }
    if isRead { #expect(all.map(\.text) == ["a", "b", "c"]) }
    all[2].restorationIdentifier = "a"
    let texts = ["a", "b", "c"]
    let expected = zip(["a", "b", "a"], texts).enumerated().map { "\($1.0) \($0) \($1.1)" }
    #expect(try Self.states(next.archive(of: again, asksAll: false)) == expected)
    #expect(try Self.states(next.archive(of: again)) == expected)
    #expect(all.map(\.text) == texts)
  }

  @Test("Archives without records but the application's")
  func noRecords() throws {
    let (app, restoration) = try scriptedLaunch(nil)
    let empty = restoration.archive(of: app)
    #expect(restoration.archive(of: app, asksAll: false) == empty)
    let (again, next) = try scriptedLaunch(empty)
    #expect(again.descendants.map { $0 }.isEmpty)
    #expect(next.report.records.map(\.path) == [[]])
    #expect(next.report.archive.fault == nil)
    #expect(next.archive(of: again, asksAll: false) == empty)
    #expect(empty.validate().records == 1)
  }

  @Test("Ten thousand siblings with one identifier")
  func manySiblings() throws {
    let (app, restoration) = try scriptedLaunch(nil)
    for number in 0..<10_000 { try app.append(Scripted("same", number: number)) }
    let base = restoration.archive(of: app)
    let (again, next) = try scriptedLaunch(base)
    #expect(again.children.map { ($0 as? Scripted)?.number } == (0..<10_000).map { $0 })
    again.children[0].removeFromParent()
    try again.reorder(again.children[9_998], to: 0)
    (again.children[5_000] as? Scripted)?.text = "changed"
    let changed = next.archive(of: again, asksAll: false)
    #expect(changed.count - base.count < 200_000)
    let numbers = again.children.map { ($0 as? Scripted)?.number }
    let (third, last) = try scriptedLaunch(changed)
    #expect(third.children.map { ($0 as? Scripted)?.number } == numbers)
    #expect((third.children[5_000] as? Scripted)?.text == "changed")
    last.restore(base, into: third)
    #expect(third.children.map { ($0 as? Scripted)?.number } == (0..<10_000).map { $0 })
  }

  @Test("Restoring the same archive again and again changes nothing")
  func twice() throws {
    let (app, restoration) = try scriptedLaunch(nil)
    let one = Scripted("one", number: 1)
    one.text = "a"
    try app.append(one)
    try one.append(Scripted("two", number: 2))
    let archive = restoration.archive(of: app)
    let (again, next) = try scriptedLaunch(archive)
    for count in 1...3 {
      #expect(again.scriptedStates == ["one 1 a", "two 2 initial"])
      for case let made as Scripted in again.descendants {
        #expect(made.decoded == count)
        #expect(made.finished == count)
      }
      #expect(next.archive(of: again, asksAll: false) == archive)
      next.restore(archive, into: again)
    }
    #expect(try Self.states(next.archive(of: again)) == ["one 1 a", "two 2 initial"])
  }

  @Test("An archive of another app is kept, and takes nothing from the own state")
  func foreignApp() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    try world.screen("screen", below: try world.screen("screen")).note = "deep"
    let foreign = world.archive
    var (app, restoration) = try scriptedLaunch(foreign)
    #expect(app.children.isEmpty)
    #expect(restoration.report.count(.carried) == 2)
    for round in 0..<4 {
      if round == 0 { try app.append(Scripted("own", number: 1)) }
      let archive =
        round % 2 == 0 ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
      #expect(try World.restored(archive).find("screen", "screen")?.note == "deep")
      (app, restoration) = try scriptedLaunch(archive)
      #expect(app.scriptedStates == ["own 1 initial"])
      #expect(restoration.report.count(.carried) == 2)
    }
  }

  @Test(
    "A responder that was not read, is detached during saves and comes back keeps its values",
    arguments: [1, 2, 3, 5, 6, 7])
  func detachedUnread(saves: Int) throws { try Self.checkDetached(saves) }

  @Test(
    "A responder that was not read, is detached during saves of changes and comes back keeps its values",
    arguments: [0, 4])
  func detachedUnreadChanges(saves: Int) throws { try Self.checkDetached(saves) }

  /// Checks that a responder keeps its values while two saves are made without it and a third one
  /// with it. `saves` has one bit for each save, which is set if the save is a full one.
  private static func checkDetached(_ saves: Int) throws {
    let (app, restoration) = try scriptedLaunch(nil)
    for name in ["a", "b"] {
      let made = Scripted(name, number: 1)
      made.text = "text \(name)"
      try app.append(made)
      let below = Scripted("below", number: 2)
      below.text = "below \(name)"
      try made.append(below)
    }
    let archive = restoration.archive(of: app)
    do {
      let (again, next) = try scriptedLaunch(archive)
      let gone = again.children[0]
      gone.removeFromParent()
      for bit in 0..<2 {
        _ =
          saves & (1 << bit) == 0
          ? next.archive(of: again, asksAll: false) : next.archive(of: again)
      }
      try again.append(gone)
      let expected = [
        "b 1 text b", "below 2 below b", "a 1 text a", "below 2 below a",
      ]
      let changed =
        saves & 4 == 0 ? next.archive(of: again, asksAll: false) : next.archive(of: again)
      #expect(try Self.states(changed) == expected, "saves \(saves)")
      #expect(again.scriptedStates == expected, "saves \(saves)")
    }
  }

  @Test(
    "A record below a kept one is given to one responder only", arguments: [1, 2])
  func givenOnce(depth: Int) throws {
    let (app, restoration) = try scriptedLaunch(nil)
    var parent: Responder = app
    for (number, name) in ["x", "b", "c"].enumerated() {
      let made = Scripted(name, number: number + 1)
      made.restorationKind = name == "x" ? "b" : nil
      try parent.append(made)
      parent = made
    }
    let none = Restoration { Kind("c", Scripted.init) }
    let (again, _) = try scriptedLaunch(restoration.archive(of: app), none)
    let x = Scripted("x")
    let b = Scripted("b")
    try again.append(x)
    try x.append(b)
    #expect(again.scriptedStates == ["x 1 initial", "b 2 initial", "c 3 initial"])
    let second = Scripted(depth == 1 ? "b" : "c")
    try (depth == 1 ? x : b).append(second)
    #expect(second.state == "0 initial")
  }
}
