import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("State that could not be saved is tried again by each save")
struct RetryTests {
  private final class Custom: Controller, StateRestoring {
    var number = 0
    var fails = false
    var calls = 0
    @Restorable("target") var target: Form?
    @Restorable("data") var data = Data()

    func encodeRestorableState(with coder: StateEncoder) throws {
      calls += 1
      try coder.encode(number, for: "number")
      if fails { throw Mishap("no luck") }
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      number = try coder.decode("number") ?? 0
    }
  }

  private static func restoration() -> Restoration {
    Restoration {
      Kind("custom", Custom.init)
      Kind("form", Form.init)
    }
  }

  private static func make() throws -> (Application, Custom, Restoration) {
    let app = Application()
    let restoration = restoration()
    app.launch(restoring: restoration, from: nil)
    let custom = Custom()
    custom.restorationIdentifier = "custom"
    custom.number = 1
    try app.append(custom)
    return (app, custom, restoration)
  }

  private static func restored(_ archive: StateArchive) throws -> (Application, Custom) {
    let again = Application()
    again.launch(restoring: restoration(), from: archive)
    return (again, try #require(again.children.first as? Custom))
  }

  @Test("A refused save forgets no path that changes later", arguments: [false, true])
  func refusedPaths(isNew: Bool) throws {
    let (app, custom, restoration) = try Self.make()
    var forms: [Form] = []
    for number in 0..<2 {
      let form = Form()
      form.restorationIdentifier = "form"
      form.selection = number
      try app.append(form)
      forms.append(form)
    }
    if !isNew { custom.target = forms[1] }
    _ = restoration.archive(of: app)
    if isNew { custom.target = forms[1] } else { try app.reorder(forms[1], to: 1) }
    restoration.limits.archiveBytes = 50
    _ = restoration.archive(of: app)
    restoration.limits.archiveBytes = 64 << 20
    _ = restoration.archive(of: app, asksAll: false)
    if isNew { try app.reorder(forms[1], to: 1) }
    let (again, restored) = try Self.restored(restoration.archive(of: app, asksAll: false))
    #expect(restored.target?.selection == 1)
    withExtendedLifetime(again) {}
  }

  @Test("An encoder that throws is called again by the next save of changes")
  func throwing() throws {
    let (app, custom, restoration) = try Self.make()
    let base = restoration.archive(of: app)
    custom.number = 2
    custom.fails = true
    custom.invalidateRestorableState()
    custom.calls = 0
    for save in 1...5 {
      #expect(restoration.archive(of: app, asksAll: false) == base)
      #expect(custom.calls == save)
    }
    #expect(restoration.report.problems.count == 1)
    custom.fails = false
    #expect(try Self.restored(restoration.archive(of: app, asksAll: false)).1.number == 2)
    #expect(custom.calls == 6)
    _ = restoration.archive(of: app, asksAll: false)
    #expect(custom.calls == 6)
  }

  @Test("An encoder that throws in a full save is called again by a save of changes")
  func throwingFirst() throws {
    let (app, custom, restoration) = try Self.make()
    custom.fails = true
    _ = restoration.archive(of: app)
    custom.fails = false
    #expect(try Self.restored(restoration.archive(of: app, asksAll: false)).1.number == 1)
  }

  @Test("A reference that could not be written is written when its responder is in the tree")
  func reference() throws {
    let (app, custom, restoration) = try Self.make()
    let form = Form()
    form.restorationIdentifier = "form"
    custom.target = form
    let base = restoration.archive(of: app)
    #expect(restoration.archive(of: app, asksAll: false) == base)
    try app.append(form)
    let (again, found) = try Self.restored(restoration.archive(of: app, asksAll: false))
    #expect(found.target === again.children.last)
  }

  @Test("An added object whose encoder throws is tried again")
  func addedObject() throws {
    final class Player: StateRestoring {
      var volume = 5
      var fails = false
      func encodeRestorableState(with coder: StateEncoder) throws {
        try coder.encode(volume, for: "volume")
        if fails { throw Mishap("no luck") }
      }
      func decodeRestorableState(with coder: StateDecoder) throws {
        volume = try coder.decode("volume") ?? 0
      }
    }
    let (app, _, restoration) = try Self.make()
    let player = Player()
    restoration.add(player, as: "player", under: app)
    let base = restoration.archive(of: app)
    player.volume = 9
    player.fails = true
    restoration.invalidateRestorableState(of: player)
    for _ in 0..<3 {
      #expect(restoration.archive(of: app, asksAll: false).count - base.count < 100)
    }
    player.fails = false
    let again = Application()
    let last = Self.restoration()
    let other = Player()
    last.add(other, as: "player", under: again)
    again.launch(restoring: last, from: restoration.archive(of: app, asksAll: false))
    #expect(other.volume == 9)
  }

  @Test("A property over the limit keeps its last bytes, and is saved when the limit is higher")
  func tooLargeProperty() throws {
    let (app, custom, restoration) = try Self.make()
    custom.data = Data([1, 2, 3])
    _ = restoration.archive(of: app)
    restoration.limits.valueBytes = 100
    custom.data = Data(count: 1_000)
    custom.number = 3
    for isFull in [false, true] {
      let next =
        isFull ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
      let found = try Self.restored(next).1
      #expect(found.data == Data([1, 2, 3]))
      #expect(found.number == 3)
    }
    let problem = try #require(restoration.report.problems.first)
    for part in ["custom", "\"data\"", "100"] { #expect(problem.contains(part)) }
    restoration.limits.valueBytes = 10_000
    #expect(try Self.restored(restoration.archive(of: app, asksAll: false)).1.data.count == 1_000)
  }

  @Test("A record over the limit is refused by one line, and its last good state is kept")
  func tooLargeRecord() throws {
    let (app, custom, restoration) = try Self.make()
    _ = restoration.archive(of: app)
    restoration.limits.recordBytes = 500
    custom.data = Data(count: 1_000)
    custom.number = 2
    for _ in 0..<3 {
      #expect(try Self.restored(restoration.archive(of: app, asksAll: false)).1.number == 1)
      #expect(try Self.restored(restoration.archive(of: app)).1.number == 1)
    }
    #expect(restoration.report.problems.count == 1)
    #expect(restoration.report.problems.first?.contains("500") == true)
    restoration.limits.recordBytes = 10_000
    #expect(try Self.restored(restoration.archive(of: app, asksAll: false)).1.number == 2)
  }

  @Test(
    "What another responder's encoder changes during a save is in the next one",
    arguments: [false, true])
  func changesDuringSave(isFull: Bool) throws {
    final class Meddler: Controller, StateRestoring {
      weak var other: Form?
      var text = ""
      func encodeRestorableState(with coder: StateEncoder) throws {
        if !text.isEmpty { other?.draft = text }
      }
      func decodeRestorableState(with coder: StateDecoder) throws {}
    }
    let app = Application()
    let restoration = Self.restoration()
    app.launch(restoring: restoration, from: nil)
    let form = Form()
    form.restorationIdentifier = "form"
    let meddler = Meddler()
    meddler.restorationIdentifier = "meddler"
    meddler.other = form
    try app.append(form)
    try app.append(meddler)
    _ = restoration.archive(of: app)
    meddler.text = "changed"
    form.draft = "first"
    meddler.invalidateRestorableState()
    _ = isFull ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
    meddler.text = ""
    let again = Application()
    again.launch(restoring: Self.restoration(), from: restoration.archive(of: app, asksAll: false))
    #expect((again.children.first as? Form)?.draft == "changed")
  }

  @Test("A save that is refused again and again notes each change once")
  func refusedOften() throws {
    let (app, custom, restoration) = try Self.make()
    let form = Form()
    form.restorationIdentifier = "form"
    try app.append(form)
    let base = restoration.archive(of: app)
    form.draft = "kept"
    form.removeFromParent()
    restoration.limits.archiveBytes = 50
    custom.number = 5
    custom.invalidateRestorableState()
    custom.calls = 0
    for _ in 0..<40 { #expect(restoration.archive(of: app, asksAll: false) == base) }
    // A save that is over the limit encodes no more of the tree.
    #expect(custom.calls == 0)
    #expect(restoration.report.problems.count == 1)
    restoration.limits.archiveBytes = 1 << 20
    try app.append(form)
    let (again, found) = try Self.restored(restoration.archive(of: app, asksAll: false))
    #expect(found.number == 5)
    #expect((again.children.last as? Form)?.draft == "kept")
  }

  @Test("A save that an encoder asks for gives the archive of before", arguments: [false, true])
  func saveWhileSaving(isFull: Bool) throws {
    final class Saver: Controller, StateRestoring {
      var save: (() -> StateArchive)?
      var archives: [StateArchive] = []
      func encodeRestorableState(with coder: StateEncoder) throws {
        try coder.encode(1, for: "one")
        if let save { archives.append(save()) }
      }
      func decodeRestorableState(with coder: StateDecoder) throws {}
    }
    let (app, custom, restoration) = try Self.make()
    let saver = Saver()
    saver.restorationIdentifier = "saver"
    try app.append(saver)
    let base = restoration.archive(of: app)
    saver.save = { [unowned app, unowned restoration] in
      isFull ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
    }
    custom.number = 7
    custom.invalidateRestorableState()
    saver.invalidateRestorableState()
    #expect(try Self.restored(restoration.archive(of: app, asksAll: false)).1.number == 7)
    #expect(saver.archives == [base])
    let changed = restoration.archive(of: app, asksAll: false)
    #expect(try Self.restored(restoration.archive(of: app)).1.number == 7)
    #expect(saver.archives == [base, changed])
  }
}
