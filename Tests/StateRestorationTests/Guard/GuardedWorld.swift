import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration

/// Launches of one program, all in this process. A crash is simulated: the guard's page is copied
/// at that moment, and the next launch gets the copy.
final class GuardedWorld {
  /// A place in the program at which a launch crashes.
  struct Crash: Hashable {
    let call: String
    let name: String

    init(_ call: String, _ name: String = "") { (self.call, self.name) = (call, name) }
  }

  /// The places at which the program crashes. A test sets them.
  var bugs: Set<Crash> = []
  /// The calls of the app's code in the last launch, in order.
  private(set) var calls: [Crash] = []
  private(set) var crash: Crash?
  /// A closure that saves the state of the running launch; nil if a test has set none.
  var save: (() -> Void)?
  private let drawer: Drawer
  /// The page of the next launch.
  var page: URL { drawer.file("guard") }
  private var crashed: URL { drawer.file("crashed") }

  init() throws { drawer = try Drawer() }

  /// Records a call of the app's code. If the program has a bug at this place, the present page is
  /// copied for the next launch.
  func call(_ call: String, _ name: String = "") {
    let place = Crash(call, name)
    calls.append(place)
    guard crash == nil, bugs.contains(place) else { return }
    crash = place
    // The copy includes the last store to the page, because the mapping is shared.
    try? FileManager.default.copyItem(at: page, to: crashed)
  }

  /// Prepares another launch.
  func begin() {
    calls = []
    crash = nil
    try? FileManager.default.removeItem(at: crashed)
  }

  /// Runs a launch that crashes at each of the given places, one after the other.
  func crash(_ places: Crash..., from archive: StateArchive, kind: Int = 1) throws {
    for place in places {
      bugs = [place]
      let launch = GuardedLaunch(self, kind: kind).run(archive)
      if place.call == "read" { _ = launch.find(place.name)?.lazy }
      guard crash == place else { throw Mishap("The launch has not crashed: \(calls)") }
      try end()
    }
    bugs = []
  }

  /// Ends a launch. If the launch has crashed, the next launch gets the page as it was at the
  /// crash.
  func end() throws {
    guard crash != nil else { return }
    try FileManager.default.removeItem(at: page)
    try FileManager.default.moveItem(at: crashed, to: page)
  }
}

/// The world of the launch that runs on the current thread. It is for code that cannot get the
/// world as an argument.
enum RunningLaunch {
  private static let key = "lineage.guarded.world"

  static var world: GuardedWorld? {
    get { Thread.current.threadDictionary[key] as? GuardedWorld }
    set { Thread.current.threadDictionary[key] = newValue }
  }
}

/// A screen that records its calls in the running world.
///
/// The beginning of its name selects its behaviour. A screen "loud" provides a context while it is
/// decoded, and a screen "ear" observes this context. A screen "late" has a page that waits for a
/// notebook.
final class GuardedScreen: Controller, StateRestoring, RestorationFinishing {
  private var observation: ContextObservation?
  @Restorable("lazy") var lazy = LoudValue()
  @Restorable("number") var number = 0
  var page: PageNumber?

  var name: String { restorationIdentifier ?? "?" }

  private func note(_ call: String) { RunningLaunch.world?.call(call, name) }

  override func didAttach() {
    note("attach")
    guard name.hasPrefix("ear") else { return }
    observation = observe(LoudKey.self) { screen, state in
      if case .value = state { screen.note("hear") }
    }
  }

  func encodeRestorableState(with coder: StateEncoder) throws {
    if name.hasPrefix("late") { try coder.encode(page, for: "page") }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    note("decode")
    if name.hasPrefix("late") { try coder.whenReady("page", into: \.latePage, of: self) }
    if name.hasPrefix("loud") { provide(name, for: LoudKey.self) }
  }

  /// The page of the notebook. Setting it records the arrival of the late value.
  var latePage: PageNumber? {
    get { page }
    set {
      note("late")
      page = newValue
    }
  }

  func didFinishRestoring() { note("finish") }
}

/// An application that records its calls in the running world.
final class GuardedApp: Application, StateRestoring, RestorationFinishing {
  var theme = "light"

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(theme, for: "theme")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    RunningLaunch.world?.call("decode", "app")
    theme = try coder.decode("theme") ?? "light"
  }

  func didFinishRestoring() { RunningLaunch.world?.call("finish", "app") }
}

/// A value that records its decoding in the running world.
struct LoudValue: RestorableValue, Equatable {
  var name = ""

  func write(to writer: inout ValueWriter) throws { name.write(to: &writer) }

  static func read(from reader: inout ValueReader) throws -> LoudValue {
    let value = LoudValue(name: try String.read(from: &reader))
    RunningLaunch.world?.call("read", value.name)
    return value
  }
}

/// The key of a context that screens provide while they are decoded.
enum LoudKey: ContextKey { typealias Value = String }

/// One launch of the program.
struct GuardedLaunch {
  let world: GuardedWorld
  let app = GuardedApp()
  let restoration: Restoration
  private let delivery: Delivery<Notebook>
  init(
    _ world: GuardedWorld, version: String = "1", kind: Int = 1,
    probe: @escaping FileStep.Probe = { _ in 0 }
  ) {
    self.world = world
    world.begin()
    RunningLaunch.world = world
    restoration = Restoration {
      Kind("screen", version: kind) { request in
        RunningLaunch.world?.call("make", request.identifier)
        return request.existing ?? GuardedScreen()
      }
      .transformed("number", in: max(kind, 2)) { (old: Int) in
        RunningLaunch.world?.call("migrate", "\(old)")
        return old + 100
      }
      ContextName("notes", Notebook.self)
    }
    restoration.appVersion = version
    restoration.ask = { info in
      RunningLaunch.world?.call("ask", info.reason.rawValue)
      RunningLaunch.world?.call("ask")
      return .all
    }
    restoration.didDecode = { _ in RunningLaunch.world?.call("told") }
    restoration.onReport = { _ in RunningLaunch.world?.call("report") }
    delivery = app.expect(Notebook.self)
    restoration.guardCrashes(in: world.page, probe: probe)
  }

  /// Launches the application. Unless `waits` is true, also delivers the notebook for which late
  /// values wait.
  @discardableResult
  func run(_ archive: StateArchive?, waits: Bool = false) -> GuardedLaunch {
    app.launch(restoring: restoration, from: archive)
    if !waits { deliver() }
    return self
  }

  func deliver() {
    delivery.deliver(Notebook("root"))
    app.drain()
  }

  /// Adds a screen below a responder.
  @discardableResult
  func add(_ name: String, below parent: Responder? = nil, number: Int = 0) throws -> GuardedScreen
  {
    let screen = GuardedScreen()
    screen.restorationIdentifier = name
    screen.restorationKind = "screen"
    screen.number = number
    screen.lazy = LoudValue(name: name)
    if name.hasPrefix("late") { screen.page = PageNumber(notebook: "root", page: number) }
    try (parent ?? app).append(screen)
    return screen
  }

  /// Returns the screen at a path of identifiers; nil if there is none.
  func find(_ path: String...) -> GuardedScreen? {
    var node: Responder? = app
    for name in path { node = node?.children.first { $0.restorationIdentifier == name } }
    return node as? GuardedScreen
  }

  /// The outcomes of the records, stored under their paths.
  var outcomes: [String: RestorationReport.Outcome] {
    Dictionary(
      restoration.report.records.map { ($0.path.joined(separator: "/"), $0.outcome) },
      uniquingKeysWith: { one, _ in one })
  }

  /// The paths of the records that were left out.
  var leftOut: [String] {
    restoration.report.records.filter { $0.outcome == .leftOut }
      .map { $0.path.joined(separator: "/") }
  }
}
