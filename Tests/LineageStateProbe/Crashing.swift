import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration

/// A command that launches an app with bugs: `LineageStateProbe crashing folder word …`.
///
/// A word `call:name:way` is a bug. When the app makes the call `call` for the screen `name`, the
/// process ends in the way `way`, such as `kill` or `exit`. The other words are options:
/// - `version=…`: the version of the app.
/// - `confirms`: the restoration waits for a confirmation.
/// - `bringsBack`: the launch brings back the archives that were kept.
/// - `waits`: the notebook is delivered after the launch.
/// - `reason=minimum` or `reason=nothing`: the app's answer when it is asked for the extent of the
///   restoration.
/// - `calls=…`: the number of the call of the file system before which the process is killed.
/// - `bytes=…`: the largest size of a file that the process can write.
///
/// After the launch, the process executes the lines of its input.
enum Crashing {
  private struct Bug {
    let call: String
    let name: String
    let way: String
  }

  private nonisolated(unsafe) static var bugs: [Bug] = []

  /// Ends the process if the app has a bug in this call for this name.
  static func call(_ call: String, _ name: String) {
    for bug in bugs where bug.call == call && bug.name == name { end(bug.way) }
  }

  private static func end(_ way: String) {
    switch way {
    case "kill": kill(getpid(), SIGKILL)
    case "trap": fatalError("The bug.")
    case "overflow": StateProbe.say("\(overflow(1))")
    case "segment": UnsafeMutablePointer<Int>(bitPattern: 16)?.pointee = 1
    case "abort": abort()
    case "exit": exit(3)
    default: StateProbe.say("unknown way \(way)")
    }
  }

  @inline(never)
  private static func overflow(_ number: Int) -> Int {
    bugs.isEmpty ? number : overflow(number + 1) &+ overflow(number + 2)
  }

  static func run(_ folder: URL, _ words: [String]) throws {
    bugs = words.map { $0.split(separator: ":").map(String.init) }
      .filter { $0.count == 3 }.map { Bug(call: $0[0], name: $0[1], way: $0[2]) }
    func number(_ option: String) -> Int? {
      words.first { $0.hasPrefix("\(option)=") }.flatMap { Int($0.dropFirst(option.count + 1)) }
    }
    if let bytes = number("bytes") { Saving.limitFiles(to: bytes) }
    let (calls, last) = (Counter(), number("calls"))
    let probe: @Sendable (FileStep) -> Int32 = { _ in
      if calls.next() == last { kill(getpid(), SIGKILL) }
      return 0
    }
    let application = CrashingApp()
    let restoration = Restoration(in: .at(folder), clock: ProbeClock(), probe: probe) {
      Kind("screen") { request in
        call("make", request.identifier)
        return request.existing ?? CrashingScreen()
      }
      ContextName(
        "notes",
        BranchingRegistration<Notebook>(prefetch: { references, _ in
          for text in references { call("fetch", String(decoding: text, as: UTF8.self)) }
          return (nil, [:])
        }))
    }
    for word in words {
      if word.hasPrefix("version=") { restoration.appVersion = String(word.dropFirst(8)) }
    }
    restoration.awaitsConfirmation = words.contains("confirms")
    if words.contains("bringsBack") { restoration.bringBackArchives() }
    restoration.ask = { info in
      StateProbe.say("reason \(info.reason)")
      if let crash = info.crash {
        StateProbe.say("culprit \(crash.path?.joined(separator: "/") ?? "unknown")")
      }
      call("ask", "app")
      return words.contains("reason=minimum")
        ? .minimum : words.contains("reason=nothing") ? .nothing : .all
    }
    restoration.didDecode = { application in
      call("told", "app")
      if !application.children.isEmpty { call("told", "children") }
    }
    restoration.onReport = { _ in call("report", "app") }
    let delivery = words.contains("waits") ? application.expect(Notebook.self) : nil
    if delivery == nil { application.provide(Notebook("root")) }
    application.launch(restoring: restoration)
    for outcome in RestorationReport.Outcome.allCases {
      let paths = restoration.report.records.filter { $0.outcome == outcome }
        .map { $0.path.isEmpty ? "app" : $0.path.joined(separator: "/") }
      if !paths.isEmpty { StateProbe.say("\(outcome.rawValue) \(paths.joined(separator: " "))") }
    }
    for problem in restoration.report.problems { StateProbe.say("problem \(problem)") }
    for note in restoration.report.notes { StateProbe.say("note \(note)") }
    StateProbe.say("guard \(restoration.isGuarded ? "on" : "off")")
    StateProbe.say("ready")
    while let line = readLine() {
      try obey(line.split(separator: " ").map(String.init), application, restoration, delivery)
      StateProbe.say("did \(line)")
    }
    // A kill ends the process without terminating the application.
    kill(getpid(), SIGKILL)
  }

  /// Executes one line of input.
  private static func obey(
    _ words: [String], _ application: CrashingApp, _ restoration: Restoration,
    _ delivery: Delivery<Notebook>?
  ) throws {
    switch words.first {
    case "make":
      for name in words.dropFirst() {
        let screen = try add(name, to: application)
        try add("\(name)-leaf", to: screen)
        if name.hasPrefix("loud") { try add("ear-\(name)", to: screen) }
      }
    case "deliver":
      delivery?.deliver(Notebook("root"))
      application.drain()
    case "read":
      for case let screen as CrashingScreen in application.descendants where screen.name == words[1]
      {
        StateProbe.say("value \(screen.value.name)")
      }
    case "save": try restoration.save()
    case "retry": restoration.retry(words.dropFirst().map { $0 })
    case "retryAll": restoration.retryAll()
    case "bringBack": restoration.bringBackArchives()
    case "confirm": restoration.confirmRestoration()
    case "terminate":
      application.terminate()
      exit(0)
    default: StateProbe.say("unknown line")
    }
  }

  /// Adds a screen below a responder.
  @discardableResult
  private static func add(_ name: String, to parent: Responder) throws -> CrashingScreen {
    let screen = CrashingScreen()
    screen.restorationIdentifier = name
    screen.restorationKind = "screen"
    screen.value = CrashingValue(name: name)
    try parent.append(screen)
    return screen
  }
}

/// An application with one value. Its callbacks can have a bug, as described at ``Crashing``.
final class CrashingApp: Application, StateRestoring, RestorationFinishing {
  func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(1, for: "one") }

  func decodeRestorableState(with coder: StateDecoder) throws {
    Crashing.call("decode", "app")
  }

  func didFinishRestoring() { Crashing.call("finish", "app") }
}

/// A screen whose callbacks can have a bug, as described at ``Crashing``.
///
/// The beginning of the screen's name selects its behaviour:
/// - "loud": it provides a context while it is decoded.
/// - "ear": it observes that context.
/// - "late": it has a value that waits for a notebook.
final class CrashingScreen: Controller, StateRestoring, RestorationFinishing {
  private var observation: ContextObservation?
  @Restorable("value") var value = CrashingValue()
  private var waiting: CrashingReference?

  var name: String { restorationIdentifier ?? "?" }

  override func didAttach() {
    Crashing.call("attach", name)
    guard name.hasPrefix("ear") else { return }
    observation = observe(CrashingKey.self) { screen, state in
      if case .value = state { Crashing.call("hear", screen.name) }
    }
  }

  func encodeRestorableState(with coder: StateEncoder) throws {
    if name.hasPrefix("late") {
      try coder.encode(waiting ?? CrashingReference(name: name), for: "waiting")
    }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    Crashing.call("decode", name)
    if name.hasPrefix("late") { try coder.whenReady("waiting", into: \.late, of: self) }
    if name.hasPrefix("loud") { provide(name, for: CrashingKey.self) }
  }

  var late: CrashingReference? {
    get { waiting }
    set {
      Crashing.call("late", name)
      waiting = newValue
    }
  }

  func didFinishRestoring() { Crashing.call("finish", name) }
}

/// A value whose decoding can have a bug, as described at ``Crashing``.
struct CrashingValue: RestorableValue, Equatable {
  var name = ""

  func write(to writer: inout ValueWriter) throws { name.write(to: &writer) }

  static func read(from reader: inout ValueReader) throws -> CrashingValue {
    let value = CrashingValue(name: try String.read(from: &reader))
    Crashing.call("read", value.name)
    return value
  }
}

/// A value that can be decoded only when a notebook is available.
struct CrashingReference: ContextualValue {
  let name: String

  func write(to writer: inout ValueWriter) throws {
    try writer.writeReference(name) { context, _ in context is Notebook }
  }

  static func read(from reader: inout ValueReader) throws -> CrashingReference {
    let (bytes, _) = try reader.readReference()
    let name = String(decoding: bytes, as: UTF8.self)
    Crashing.call("fetch", name)
    return CrashingReference(name: name)
  }
}

/// The key of a context that screens provide while they are decoded.
enum CrashingKey: ContextKey { typealias Value = String }
