import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Kinds that return odd responders")
struct EdgeKindTests {
  /// Returns an archive with records at the paths a, a/b and c.
  private static func archive() throws -> StateArchive {
    let (app, restoration) = try scriptedLaunch(nil)
    let a = Scripted("a", number: 1)
    a.text = "a"
    try app.append(a)
    let b = Scripted("b", number: 2)
    b.text = "b"
    try a.append(b)
    let c = Scripted("c", number: 3)
    c.text = "c"
    try app.append(c)
    return restoration.archive(of: app)
  }

  /// A responder that a factory should not return.
  enum Answer: CaseIterable {
    case parent, application, other, sameAgain, attachedNew, attachedElsewhere, hasPresenter
  }

  @Test("A factory that returns a responder of another place", arguments: Answer.allCases)
  func otherPlace(answer: Answer) throws {
    let archive = try Self.archive()
    let same = Scripted()
    let elsewhere = Controller()
    let other = Scripted("x", number: 9)
    other.text = "x"
    let restoration = Restoration {
      Kind("a") { request in request.existing ?? (answer == .sameAgain ? same : Scripted()) }
      Kind("b") { request in
        switch answer {
        case .parent: return request.parent
        case .application: return request.application
        case .other: return other
        case .sameAgain: return same
        case .attachedNew:
          let made = Scripted()
          try request.parent.append(made)
          return made
        case .attachedElsewhere:
          let made = Scripted()
          try elsewhere.append(made)
          return made
        case .hasPresenter:
          let made = Scripted()
          try elsewhere.present(made)
          return made
        }
      }
      Kind("c") { request in request.existing ?? (answer == .sameAgain ? same : Scripted()) }
    }
    let app = Application()
    // The factories retain these responders. A link to the application would make a cycle.
    defer { for responder in [same, other] { responder.removeFromParent() } }
    try app.append(other)
    app.launch(restoring: restoration, from: archive)
    #expect(app.invariantsHold)
    #expect(other.number == 9)
    let report = restoration.report
    #expect(report.records.map(\.path).contains(["a", "b"]))
    for case let made as Scripted in app.descendants {
      #expect(made.decoded <= 1, "\(made)")
      #expect(made.finished == made.decoded)
    }
    for save in [restoration.archive(of: app, asksAll: false), restoration.archive(of: app)] {
      let (again, _) = try scriptedLaunch(save)
      let names = again.scriptedStates
      #expect(names.contains("a 1 a"), "\(answer) \(names)\n\(report)")
      #expect(
        names.contains("b 2 b"), "b is neither restored nor kept: \(answer) \(names)\n\(report)")
    }
  }

  @Test("A kind that waits, below a record that nothing makes")
  func whenAttachedBelowCarried() throws {
    for isThroughArchive in [false, true] {
      func make() -> Restoration {
        Restoration {
          Kind("b", .whenAttached, Scripted.init)
          Kind("c", Scripted.init)
        }
      }
      var (app, restoration) = try scriptedLaunch(try Self.archive(), make())
      #expect(restoration.report.count(.carried) == 2)
      #expect(app.scriptedStates == ["c 3 c"])
      if isThroughArchive {
        (app, restoration) = try scriptedLaunch(
          restoration.archive(of: app, asksAll: false), make())
        (app, restoration) = try scriptedLaunch(restoration.archive(of: app), make())
      }
      let a = Scripted("a")
      try app.insert(a, at: 0)
      #expect(a.state == "1 a")
      #expect(a.finished == 1)
      #expect(a.children.isEmpty)
      for save in [restoration.archive(of: app, asksAll: false), restoration.archive(of: app)] {
        #expect(try scriptedLaunch(save).0.scriptedStates == ["a 1 a", "b 2 b", "c 3 c"])
      }
      let b = Scripted("b")
      try a.append(b)
      #expect(b.state == "2 b")
      #expect(b.finished == 1)
    }
  }

  @Test("Two levels that are attached together get the records that were kept")
  func attachedTogether() throws {
    let (app, restoration) = try scriptedLaunch(try Self.archive(), Restoration {})
    #expect(restoration.report.count(.carried) == 3)
    let a = Scripted("a")
    let b = Scripted("b")
    try a.append(b)
    try app.append(a)
    #expect(app.scriptedStates == ["a 1 a", "b 2 b"])
    #expect(b.finished == 1)
    #expect(
      try scriptedLaunch(restoration.archive(of: app, asksAll: false)).0.scriptedStates
        == ["a 1 a", "b 2 b", "c 3 c"])
  }

  @Test("A responder of a kind that waits and is there at the launch is restored in it")
  func whenAttachedIsThere() throws {
    let (app, restoration) = try scriptedLaunch(
      try Self.archive(), Restoration { Kind("a", .whenAttached, Scripted.init) }
    ) { try $0.append(Scripted("a")) }
    #expect(app.scriptedStates.first == "a 1 a")
    #expect(restoration.report.count(.restored) == 2)
  }

  @Test("A factory that attaches what it makes, and changes the tree around it")
  func changesTree() throws {
    let restoration = Restoration {
      Kind("a", Scripted.init)
      Kind("b", Scripted.init)
      Kind("c") { request in
        for child in request.application.children { child.removeFromParent() }
        return Scripted()
      }
    }
    let (app, _) = try scriptedLaunch(try Self.archive(), restoration) {
      try $0.append(Scripted("a"))
    }
    #expect(app.invariantsHold)
    #expect(app.scriptedStates.contains("c 3 c"))
    let after = restoration.archive(of: app)
    #expect(try scriptedLaunch(after).0.scriptedStates.contains("c 3 c"))
  }

  @Test("Code that removes a responder while it is restored is not undone")
  func removedWhileDecoding() throws {
    let restoration = Restoration {
      Kind("a") { _ in
        let made = Scripted()
        made.onDecode = { [unowned made] _ in made.children.first?.removeFromParent() }
        return made
      }
      Kind("b", Scripted.init)
      Kind("c", Scripted.init)
    }
    let (app, _) = try scriptedLaunch(try Self.archive(), restoration)
    #expect(app.scriptedStates == ["a 1 a", "c 3 c"])
    #expect(
      try scriptedLaunch(restoration.archive(of: app, asksAll: false)).0.scriptedStates
        == ["a 1 a", "c 3 c"])
    #expect(
      try scriptedLaunch(restoration.archive(of: app)).0.scriptedStates
        == ["a 1 a", "c 3 c"])
  }
}

extension EdgeKindTests {
  @Test(
    "A kind that only the next process registers makes the responder there")
  func kindOfLater() throws {
    let (app, restoration) = try scriptedLaunch(nil)
    let one = Scripted("one", number: 1)
    one.restorationKind = "later"
    try app.append(one)
    let archive = restoration.archive(of: app)
    let later = Restoration { Kind("later", Scripted.init) }
    #expect(try scriptedLaunch(archive, later).0.scriptedStates == ["one 1 initial"])
  }

  @Test(
    "The records below a responder of a kind that waits are restored if it is there at the launch"
  )
  func belowPresent() throws {
    let (app, _) = try scriptedLaunch(
      try Self.archive(),
      Restoration {
        Kind("a", .whenAttached, Scripted.init)
        Kind("b", Scripted.init)
      }
    ) { try $0.append(Scripted("a")) }
    #expect(app.scriptedStates == ["a 1 a", "b 2 b"])
  }

  @Test(
    "A responder that gets a kept record when it is attached keeps the kind that waits")
  func kindOfAttached() throws {
    func kinds() -> Restoration {
      Restoration {
        Kind("scripted", Scripted.init)
        Kind("waiting", .whenAttached) { $0.existing ?? Scripted() }
      }
    }
    let (app, restoration) = try scriptedLaunch(nil, kinds())
    let one = Scripted("one", number: 1)
    one.restorationKind = "waiting"
    try app.append(one)
    let (again, next) = try scriptedLaunch(restoration.archive(of: app), kinds())
    #expect(again.children.isEmpty)
    try again.append(Scripted("one"))
    #expect(again.scriptedStates == ["one 1 initial"])
    #expect(try scriptedLaunch(next.archive(of: again), kinds()).0.children.isEmpty)
  }

  @Test(
    "A vetoed record is removed from the next save of changes")
  func vetoedInChanges() throws {
    let (app, restoration) = try scriptedLaunch(nil)
    try app.append(Scripted("a"))
    let (again, next) = try scriptedLaunch(
      restoration.archive(of: app), Restoration { Kind("a") { _ in nil } })
    #expect(next.report.count(.vetoed) == 1)
    #expect(try scriptedLaunch(next.archive(of: again, asksAll: false)).0.children.isEmpty)
  }

  @Test(
    "A present responder gets the kind of its class by a save of changes, as by a full one")
  func kindOfPresent() throws {
    let (app, restoration) = try scriptedLaunch(nil, Restoration {})
    try app.append(Scripted("one", number: 1))
    let archive = restoration.archive(of: app)
    let (again, next) = try scriptedLaunch(archive) { try $0.append(Scripted("one")) }
    let changes = next.archive(of: again, asksAll: false)
    let full = next.archive(of: again)
    #expect(try scriptedLaunch(full).0.scriptedStates == ["one 1 initial"])
    #expect(try scriptedLaunch(changes).0.scriptedStates == ["one 1 initial"])
  }
}

extension Application {
  /// Whether each responder is in the tree only once, and its ancestors lead to the application.
  var invariantsHold: Bool {
    var seen: Set<ObjectIdentifier> = []
    return descendants.allSatisfy {
      seen.insert(ObjectIdentifier($0)).inserted && $0.application === self
    }
  }
}
