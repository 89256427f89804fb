import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Restorable properties")
struct RestorableTests {
  private class Base: Controller {
    @Restorable("name") var name = "base"
    @Restorable("count") private(set) var count = 0 {
      didSet { changes += 1 }
    }
    var changes = 0
    func countUp() { count += 1 }
  }

  private final class Derived: Base {
    @Restorable("extra") var extra: [String] = []
    @Restorable("target") var target: Derived?
  }

  private final class Twin: Base {
    @Restorable("name") var title = "twin"
  }

  private enum Choice: Codable, RestorableValue {
    case none
    case one(Ending, Int)
    case two(String, Ending)

    var label: String {
      switch self {
      case .none: "none"
      case .one(_, let number): "one \(number)"
      case .two(let text, _): "two \(text)"
      }
    }
  }

  private final class Ending: Codable {
    let atEnd: () -> Void
    init(_ atEnd: @escaping () -> Void) { self.atEnd = atEnd }
    init(from decoder: any Decoder) throws { atEnd = {} }
    func encode(to encoder: any Encoder) throws {}
    deinit { atEnd() }
  }

  private final class Chooser: Controller {
    @Restorable("choice") var choice = Choice.none
    @Restorable("choices") var choices: [Choice] = []
    var labelsAtEnd: [String] = []

    /// Returns an object whose deinit reads one property and sets the other.
    func ending() -> Ending {
      Ending { [unowned self] in
        labelsAtEnd.append(choice.label)
        choices.append(choice)
      }
    }
  }

  private static func restoration() -> Restoration {
    Restoration {
      Kind("base", Base.init)
      Kind("derived", Derived.init)
      Kind("twin", Twin.init)
    }
  }

  @Test("Subclasses, in-place changes, private setters and observers")
  func subclasses() throws {
    let app = Application()
    let derived = Derived()
    derived.restorationIdentifier = "derived"
    try app.append(derived)
    derived.name += "!"
    derived.extra.append("x")
    derived.extra.append("y")
    derived.countUp()
    derived.countUp()
    #expect(derived.changes == 2)
    let again = Application()
    again.launch(restoring: Self.restoration(), from: Self.restoration().archive(of: app))
    let restored = try #require(again.children.first as? Derived)
    #expect(restored.name == "base!")
    #expect(restored.extra == ["x", "y"])
    #expect(restored.count == 2)
    #expect(restored.changes == 0)
  }

  @Test("The deinit of a replaced value sees the new one, and may set properties")
  func replacing() {
    let chooser = Chooser()
    chooser.choice = .one(chooser.ending(), 1)
    chooser.choice = .two("second", chooser.ending())
    chooser.choices = []
    chooser.choice = .none
    #expect(chooser.labelsAtEnd == ["two second", "none"])
    chooser.choices = [.one(chooser.ending(), 3)]
    chooser.choices = []
    #expect(chooser.labelsAtEnd == ["two second", "none", "none"])
    #expect(chooser.choices.map(\.label) == ["none"])
  }

  @Test("A responder is found again by its path")
  func references() throws {
    let app = Application()
    let derived = Derived()
    derived.restorationIdentifier = "derived"
    try app.append(derived)
    let first = Derived()
    first.restorationIdentifier = "derived"
    let second = Derived()
    second.restorationIdentifier = "derived"
    try derived.append(first)
    try derived.append(second)
    second.name = "second"
    derived.target = second
    first.target = Derived()
    let saving = Self.restoration()
    let archive = saving.archive(of: app)
    #expect(saving.report.problems.count == 1)
    let again = Application()
    again.launch(restoring: Self.restoration(), from: archive)
    let restored = try #require(again.children.first as? Derived)
    #expect(restored.target === restored.children[1])
    #expect(restored.target?.name == "second")
    #expect((restored.children[0] as? Derived)?.target == nil)
  }

  @Test("Two classes that declare one key are reported by name")
  func duplicates() throws {
    let app = Application()
    let twin = Twin()
    twin.restorationIdentifier = "twin"
    try app.append(twin)
    twin.name = "a"
    twin.title = "b"
    let restoration = Self.restoration()
    _ = restoration.archive(of: app)
    let problem = try #require(restoration.report.problems.first)
    for part in ["Twin", "Base", "\"name\""] { #expect(problem.contains(part)) }
  }

  private final class Repeater: Controller {
    @Restorable("name") var name = ""
    @Restorable("name") var title = ""
  }

  private final class Once: Controller {
    @Restorable("name") var name = ""
  }

  @Test("Two properties of one class with one key are reported")
  func duplicatesInOneClass() throws {
    let app = Application()
    let restoration = Restoration {}
    for _ in 0..<2 {
      let repeater = Repeater()
      repeater.restorationIdentifier = "repeater"
      try app.append(repeater)
      repeater.name = "a"
      repeater.title = repeater.name
    }
    _ = restoration.archive(of: app)
    let problem = try #require(restoration.report.problems.first)
    for part in ["Repeater", "\"name\"", "twice"] { #expect(problem.contains(part)) }
  }

  @Test("A default that was set is saved, whether or not it is read while its key is absent")
  func defaultIsSaved() throws {
    let app = Application()
    let once = Once()
    once.restorationIdentifier = "once"
    try app.append(once)
    let archive = Restoration {}.archive(of: app)
    for isRead in [false, true] {
      let again = Application()
      let restoration = Restoration {
        Kind("once") { request in
          let made = Once()
          made.name = "default"
          return request.existing ?? made
        }
      }
      again.launch(restoring: restoration, from: archive)
      if isRead { #expect((again.children.first as? Once)?.name == "default") }
      let last = Application()
      last.launch(
        restoring: Restoration { Kind("once", Once.init) }, from: restoration.archive(of: again))
      #expect((last.children.first as? Once)?.name == "default", "read: \(isRead)")
    }
  }

  @Test("A property that is read and set by many instances is no duplicate")
  func noDuplicates() throws {
    let app = Application()
    let restoration = Restoration {}
    for _ in 0..<3 {
      let once = Once()
      once.restorationIdentifier = "once"
      try app.append(once)
      once.name += once.name
      let other = Once()
      _ = other.name
    }
    _ = restoration.archive(of: app)
    #expect(restoration.report.problems == [])
  }

  @Test("A set in init, in didAttach, in decode and in finished")
  func sets() throws {
    let app = Application()
    let setter = Setter()
    setter.restorationIdentifier = "setter"
    try app.append(setter)
    for key in [\Setter.first, \Setter.second, \Setter.third, \Setter.fourth] {
      setter[keyPath: key] = "archive"
    }
    let archive = Restoration {}.archive(of: app)
    let again = Application()
    again.launch(restoring: Restoration { Kind("setter", Setter.init) }, from: archive)
    let restored = try #require(again.children.first as? Setter)
    #expect(
      [restored.first, restored.second, restored.third, restored.fourth]
        == ["archive", "archive", "decode", "finished"])
  }

  private final class Setter: Controller, StateRestoring, RestorationFinishing {
    @Restorable("first") var first = ""
    @Restorable("second") var second = ""
    @Restorable("third") var third = ""
    @Restorable("fourth") var fourth = ""

    override init() {
      super.init()
      first = "init"
    }

    override func didAttach() { second = "didAttach" }
    func encodeRestorableState(with coder: StateEncoder) throws {}
    func decodeRestorableState(with coder: StateDecoder) throws { third = "decode" }
    func didFinishRestoring() { fourth = "finished" }
  }
}
