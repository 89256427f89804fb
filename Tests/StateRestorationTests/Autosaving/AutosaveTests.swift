import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Synchronization
import Testing

@Suite("Saving by itself")
struct AutosaveTests {
  /// Returns a world with the given number of screens. The state of all screens is stored already.
  private func world(_ count: Int, in storage: CountedFolder) throws -> StoredWorld {
    let world = StoredWorld(storage)
    for number in 0..<count { try world.screen("screen \(number)").change("text of \(number)") }
    world.pass()
    world.restoration.finishWriting()
    storage.reset()
    return world
  }

  @Test("Changes every 100 ms for 5 s are written all the time, and no write waits for the disk")
  func cadence() throws {
    let storage = try CountedFolder()
    let world = try world(1_000, in: storage)
    let full = storage.bytes.count
    let screen = try #require(world.app.children.first as? Screen)
    for step in 0..<50 {
      screen.change("step \(step)")
      world.pass(0.1)
      world.restoration.finishWriting()
      // A text that was set 0.35 s ago is stored.
      guard step >= 3 else { continue }
      let text = try #require(storage.notes["screen 0"])
      #expect(Int(text.dropFirst(5)).map { $0 >= step - 3 } == true, "\(step): \(text)")
    }
    #expect((16...21).contains(storage.writes))
    #expect(storage.syncs == 0)
    #expect(abs(storage.bytes.count - full) < 200)
  }

  @Test("With a manual clock, a test sees an autosave without waiting")
  func manualClock() throws {
    let drawer = try Drawer()
    let folder = StateFolder.at(drawer.file("state"))
    for text in [nil, "typed", nil] {
      let clock = ManualSaveClock()
      let restoration = Restoration(in: folder, clock: clock) { Kind("form", Form.init) }
      let application = Application()
      application.launch(restoring: restoration)
      let form = application.children.first as? Form ?? Form()
      form.restorationIdentifier = "form"
      form.restorationKind = "form"
      if form.nextResponder == nil { try application.append(form) }
      if let text { form.draft = text }
      clock.advance(by: 0.25)
      application.drain()
    }
    let restoration = Restoration(in: folder) { Kind("form", Form.init) }
    let application = Application()
    application.launch(restoring: restoration)
    #expect((application.children.first as? Form)?.draft == "typed")
  }

  @Test("Changes are stored at once if the app asks for it, and later ones by themselves")
  func atOnce() throws {
    let storage = try CountedFolder()
    let world = try world(1_000, in: storage)
    let screen = try #require(world.app.children.first as? Screen)
    screen.change("saved")
    world.restoration.saveChanges()
    world.restoration.finishWriting()
    #expect(try storage.notes["screen 0"] == "saved")
    #expect(storage.writes == 1)
    #expect(storage.syncs == 0)
    screen.change("later")
    world.pass(0.3)
    world.restoration.finishWriting()
    #expect(try storage.notes["screen 0"] == "later")
    #expect(storage.writes <= 3)
  }

  @Test("Changes every second for ten minutes wait for the disk once a minute")
  func durability() throws {
    let storage = try CountedFolder()
    let world = try world(10, in: storage)
    for second in 1...600 {
      world.screen?.change("second \(second)")
      world.pass(1)
      world.restoration.finishWriting()
      #expect(storage.syncs <= second / 60 + 1, "\(second)")
    }
    #expect(storage.syncs == 10)
    #expect(storage.writes == 600)
    // A clock that was put back does not end this.
    storage.reset()
    world.clock.advance(by: -86_400)
    for second in 1...60 {
      world.screen?.change("later \(second)")
      world.pass(1)
      world.restoration.finishWriting()
    }
    #expect((1...2).contains(storage.syncs))
  }

  @Test("A save that fails throws, even if another write had begun to wait for the storage")
  func takenByAnother() throws {
    let storage = try CountedFolder()
    let world = try world(1, in: storage)
    storage.failing = .create
    let screen = try #require(world.app.children.first as? Screen)
    for round in 0..<300 {
      screen.change("round \(round)")
      // The scheduled write may begin before, while or after `save()` asks for a write of its own.
      world.pass()
      #expect(throws: StateError.self, "\(round)") { try world.restoration.save() }
    }
    storage.failing = nil
    try world.restoration.save()
    #expect(try storage.notes["screen 0"] == "round 299")
  }

  @Test("The first change decides when it is saved, and later ones do not delay that")
  func timing() throws {
    let storage = try CountedFolder()
    let world = try world(3, in: storage)
    let screen = try #require(world.app.children.first as? Screen)
    screen.change("one")
    world.pass(0.2)
    screen.change("two")
    #expect(storage.writes == 0)
    world.pass(0.05)
    world.restoration.finishWriting()
    #expect(storage.writes == 1)
    #expect(try storage.notes["screen 0"] == "two")
    #expect(world.clock.timerCount == 0)
    world.pass(100)
    #expect(storage.writes == 1)
  }

  @Test("Saves on request do not add timers, and changes are written every quarter of a second")
  func requests() throws {
    let storage = try CountedFolder()
    let world = try world(3, in: storage)
    let screen = try #require(world.app.children.first as? Screen)
    for step in 0..<200 {
      screen.change("step \(step)")
      if step % 20 == 10 { try world.restoration.save() }
      #expect(world.clock.timerCount <= 1)
      world.pass(0.01)
      world.restoration.finishWriting()
    }
    // Each save on request also stores the report, and waits for the disk.
    let writes = storage.writes - storage.syncs
    #expect((5...9).contains(writes), "\(writes)")
  }

  @Test("An application that terminates during its launch leaves the folder to others")
  func terminatesInLaunch() throws {
    let drawer = try Drawer()
    let folder = drawer.file("state")
    let first = StoredWorld(folder)
    try first.screen("screen").change("text")
    first.app.terminate()
    let second = StoredWorld(in: .at(folder)) { world in
      world.restoration.ask = { [weak app = world.app] _ in
        app?.terminate()
        return .all
      }
    }
    second.restoration.finishWriting()
    let third = StoredWorld(folder)
    #expect(third.restoration.report.problems == [])
    #expect(third.notes == ["screen": "text"])
    withExtendedLifetime(second) {}
  }

  enum Change: String, CaseIterable { case property, method, added, removed, moved, slot, object }

  @Test("Each kind of change is saved", arguments: Change.allCases)
  func kinds(change: Change) throws {
    final class Player: StateRestoring {
      var time = 0
      func encodeRestorableState(with coder: StateEncoder) throws {
        try coder.encode(time, for: "time")
      }
      func decodeRestorableState(with coder: StateDecoder) throws {
        time = try coder.decode("time") ?? 0
      }
    }
    let storage = try CountedFolder()
    let world = StoredWorld(storage)
    let (one, two) = (try world.screen("one"), try world.screen("two"))
    let form = Form()
    form.restorationIdentifier = "form"
    try one.append(form)
    let player = Player()
    world.restoration.add(player, as: "player", under: world.app)
    world.pass()
    world.restoration.finishWriting()
    let before = storage.bytes
    #expect(!before.isEmpty)
    world.pass(1)
    #expect(world.clock.timerCount == 0)
    switch change {
    case .property: form.draft = "written"
    case .method: two.change("changed")
    case .added: try world.screen("three")
    case .removed: two.removeFromParent()
    case .moved: try two.append(form)
    case .slot: one.branch(Notebook.self)
    case .object:
      player.time = 7
      world.restoration.invalidateRestorableState(of: player)
    }
    #expect(world.clock.timerCount == 1)
    world.pass()
    world.restoration.finishWriting()
    #expect(storage.bytes != before)
    let whole = world.restoration.archive(of: world.app)
    let again = StoredWorld(try CountedFolder(storage.bytes))
    // A launch with the stored file restores as many records as a full save of the tree has.
    #expect(again.restoration.report.problems == [])
    #expect(Set(again.notes.keys) == Set(world.notes.keys))
    #expect(whole.validate().records == again.restoration.archive(of: again.app).validate().records)
  }

  @Test("A failed write is told once and tried again at the next change")
  func failures() throws {
    let storage = try CountedFolder()
    let world = try world(3, in: storage)
    let screen = try #require(world.app.children.first as? Screen)
    storage.failing = .create
    for number in 0..<4 {
      screen.change("failing \(number)")
      world.pass()
      world.restoration.finishWriting()
      world.app.drain()
    }
    #expect(world.restoration.report.problems.count == 1)
    #expect(throws: StateError.self) { try world.restoration.save() }
    storage.failing = nil
    screen.change("stored")
    world.pass()
    world.restoration.finishWriting()
    #expect(try storage.notes["screen 0"] == "stored")
    storage.failing = .create
    screen.change("failing")
    world.pass()
    world.restoration.finishWriting()
    storage.failing = nil
    world.app.enterBackground()
    #expect(try storage.notes["screen 0"] == "failing")
  }

  @Test("While one write lasts, the later archives are stored by one more write")
  func coalescing() throws {
    let storage = try CountedFolder()
    let world = try world(3, in: storage)
    let screen = try #require(world.app.children.first as? Screen)
    let before = storage.writes
    storage.gate.withLock { _ in
      for number in 0..<10 {
        screen.change("text \(number)")
        world.pass()
      }
    }
    world.restoration.finishWriting()
    #expect(try storage.notes["screen 0"] == "text 9")
    #expect(storage.writes - before <= 2)
  }

  @Test("A responder whose encoding failed is saved after its next change")
  func failedEncoding() throws {
    final class Fragile: Controller, StateRestoring {
      struct Refusal: Error {}
      var value: Int? {
        didSet { invalidateRestorableState() }
      }
      func encodeRestorableState(with coder: StateEncoder) throws {
        guard let value else { throw Refusal() }
        try coder.encode(value, for: "value")
      }
      func decodeRestorableState(with coder: StateDecoder) throws {
        value = try coder.decode("value")
      }
    }
    let storage = try CountedFolder()
    let world = StoredWorld(storage)
    let fragile = Fragile()
    fragile.restorationIdentifier = "fragile"
    try world.app.append(fragile)
    world.pass()
    world.pass()
    #expect(world.clock.timerCount == 0)
    fragile.value = 3
    #expect(world.clock.timerCount == 1)
    world.pass()
    world.restoration.finishWriting()
    let again = Application()
    let copy = try CountedFolder(storage.bytes)
    let restoration = Restoration(in: .at(copy.url), clock: ManualSaveClock()) {
      Kind("fragile", Fragile.init)
    }
    again.launch(restoring: restoration)
    #expect((again.children.first as? Fragile)?.value == 3)
  }

  @Test("A save of an archive that is too large throws, and the stored one stays")
  func tooLarge() throws {
    let storage = try CountedFolder()
    let world = try world(2, in: storage)
    let stored = storage.bytes
    world.restoration.limits.archiveBytes = stored.count + 100
    let screen = try #require(world.app.children.first as? Screen)
    screen.change(String(repeating: "long ", count: 100))
    #expect(throws: StateError.self) { try world.restoration.save() }
    #expect(storage.bytes == stored)
    screen.change("short")
    try world.restoration.save()
    #expect(try storage.notes["screen 0"] == "short")
  }

  @Test("An application that ends has stored what it saved")
  func dropped() throws {
    let storage = try CountedFolder()
    do {
      let world = try world(2, in: storage)
      (world.app.children.first as? Screen)?.change("last")
      world.pass()
    }
    #expect(try storage.notes["screen 0"] == "last")
  }

  @Test("After the application has terminated, nothing is saved by itself")
  func terminated() throws {
    let storage = try CountedFolder()
    let world = try world(2, in: storage)
    world.app.terminate()
    let calls = storage.writes
    (world.app.children.first as? Screen)?.change("late")
    world.pass()
    world.restoration.finishWriting()
    #expect(storage.writes == calls)
    try world.restoration.save()
    #expect(try storage.notes["screen 0"] == "late")
  }

  @Test("A restoration without a folder saves nothing and restores nothing")
  func noFolder() throws {
    let world = World()
    world.app.launch(restoring: world.restoration)
    try world.screen("one")
    try world.restoration.save()
    world.app.terminate()
    #expect(world.restoration.report.problems == [])
  }
}
