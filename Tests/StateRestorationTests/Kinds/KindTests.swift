import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A kind's records survive renames and new versions")
struct KindTests {
  private final class Counter: Controller, StateRestoring {
    var values: [String: Int] = [:]
    var text: String?

    func encodeRestorableState(with coder: StateEncoder) throws {
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        try coder.encode(value, for: StateKey(key))
      }
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      for key in ["a", "b", "c", "d"] {
        values[key] = try? coder.decode(StateKey<Int>(key))
      }
      text = try? coder.decode("text")
    }
  }

  private static func archive() throws -> StateArchive {
    let app = Application()
    let counter = Counter()
    counter.restorationIdentifier = "counter"
    counter.values = ["a": 1, "b": 2, "c": 3]
    try app.append(counter)
    return Restoration { Kind("counter", Counter.init) }.archive(of: app)
  }

  private static func restored(_ kind: Kind) throws -> (Counter, Restoration) {
    let app = Application()
    let restoration = Restoration { kind }
    app.launch(restoring: restoration, from: try archive())
    return (try #require(app.children.first as? Counter), restoration)
  }

  @Test("Keys are renamed, dropped and transformed, version after version")
  func versions() throws {
    let (counter, restoration) = try Self.restored(
      Kind("counter", version: 4, Counter.init)
        .renamed("a", to: "d", in: 2)
        .dropped("b", in: 3)
        .transformed("d", in: 3) { (old: Int) in old * 10 }
        .transformed("c", in: 4) { (old: Int) in "\(old)" }
        .renamed("c", to: "text", in: 4))
    #expect(counter.values == ["d": 10])
    #expect(counter.text == "3")
    #expect(restoration.report.problems == [])
  }

  @Test("A transformation that throws costs its value only, and the report says so")
  func failing() throws {
    let (counter, restoration) = try Self.restored(
      Kind("counter", version: 2, Counter.init)
        .transformed("a", in: 2) { (_: Int) throws -> Int in throw Mishap("no luck") })
    #expect(counter.values == ["b": 2, "c": 3])
    #expect(restoration.report.problems.count == 1)
  }

  @Test("A record of a newer version is kept for a newer app")
  func newer() throws {
    let app = Application()
    let counter = Counter()
    counter.restorationIdentifier = "counter"
    counter.values = ["a": 1]
    try app.append(counter)
    let archive = Restoration { Kind("counter", version: 3, Counter.init) }.archive(of: app)
    let older = Application()
    let restoration = Restoration { Kind("counter", Counter.init) }
    older.launch(restoring: restoration, from: archive)
    #expect(older.children.isEmpty)
    #expect(restoration.report.count(.carried) == 1)
    let newest = Application()
    let last = Restoration { Kind("counter", version: 3, Counter.init) }
    newest.launch(restoring: last, from: restoration.archive(of: older))
    #expect((newest.children.first as? Counter)?.values["a"] == 1)
  }

  @Test("A kind may be renamed")
  func renamed() throws {
    let app = Application()
    let restoration = Restoration { Kind("tally", Counter.init).formerly("counter") }
    app.launch(restoring: restoration, from: try Self.archive())
    #expect((app.children.first as? Counter)?.values["a"] == 1)
  }

  @Test("A kind that waits is restored when its screen is opened")
  func whenAttached() throws {
    let app = Application()
    let restoration = Restoration {
      Kind("counter", version: 2, .whenAttached, Counter.init).renamed("a", to: "d", in: 2)
    }
    app.launch(restoring: restoration, from: try Self.archive())
    #expect(app.children.isEmpty)
    #expect(restoration.report.count(.carried) == 1)
    let counter = Counter()
    counter.restorationIdentifier = "counter"
    try app.append(counter)
    #expect(counter.values == ["d": 1, "b": 2, "c": 3])
  }

  @Test("A record that nothing restores is removed after five launches, and said so before")
  func expires() throws {
    var archive = try Self.archive()
    // Another record is restored in each launch; otherwise launches do not count.
    let other = Application()
    let form = Form()
    form.restorationIdentifier = "form"
    try other.append(form)
    let counter = Counter()
    counter.restorationIdentifier = "counter"
    try other.append(counter)
    archive = Restoration {
      Kind("counter", Counter.init)
      Kind("form", Form.init)
    }.archive(of: other)
    var outcomes: [String] = []
    for _ in 1...7 {
      let app = Application()
      let restoration = Restoration { Kind("form", Form.init) }
      app.launch(restoring: restoration, from: archive)
      let isNoted = restoration.report.notes.contains { $0.contains("removed by the next") }
      outcomes.append("\(restoration.report.count(.carried))\(isNoted ? " noted" : "")")
      archive = restoration.archive(of: app)
    }
    #expect(outcomes == ["1", "1", "1", "1", "1 noted", "0", "0"])
  }

  @Test("A responder may name its kind")
  func named() throws {
    let app = Application()
    let counter = Counter()
    counter.restorationIdentifier = "counter-17"
    counter.restorationKind = "tally"
    counter.values = ["a": 4]
    try app.append(counter)
    func restoration() -> Restoration {
      Restoration { Kind("tally") { request in request.existing ?? Counter() } }
    }
    let again = Application()
    let next = restoration()
    again.launch(restoring: next, from: restoration().archive(of: app))
    #expect((again.children.first as? Counter)?.values["a"] == 4)
    #expect(next.report.records.map(\.kind) == ["", "tally"])
  }
}
