import LineageTestSupport
import ResponderChain
import StateRestoration

/// A log of the callbacks to the responders of one test, in order.
final class Events {
  var lines: [String] = []
  func add(_ line: String) { lines.append(line) }
}

/// An application that logs its restoration.
final class App: Application, StateRestoring, RestorationFinishing {
  let events: Events
  var theme = "light"

  init(_ events: Events = Events(), strategy: Strategy = .skipping) {
    self.events = events
    super.init(strategy: strategy)
  }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(theme, for: "theme")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    theme = try coder.decode("theme") ?? "light"
    events.add("decode application")
  }

  func didFinishRestoring() { events.add("finish application") }
}

/// A controller whose methods encode and decode its state.
final class Screen: Controller, StateRestoring, RestorationFinishing {
  let events: Events
  var zoom = 1.0
  var note: String?

  init(_ events: Events, _ identifier: String? = nil) {
    self.events = events
    super.init()
    restorationIdentifier = identifier
  }

  var name: String { restorationIdentifier ?? "?" }

  override func didAttach() { events.add("link \(name)") }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(zoom, for: "zoom")
    try coder.encode(note, for: "note")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    zoom = try coder.decode("zoom") ?? 1
    note = try coder.decode("note")
    events.add("decode \(name) below \(nextResponder?.debugLabel ?? "nothing")")
  }

  func didFinishRestoring() { events.add("finish \(name)") }
}

/// A controller whose state is in restorable properties.
final class Form: Controller {
  @Restorable("selection") var selection: Int?
  @Restorable("draft") var draft = ""
  @Restorable("days") var days: [Int] = []
}

/// A page of a notebook. It can be decoded only when the notebook is available.
struct PageNumber: ContextualValue, Equatable {
  let notebook: String
  let page: Int

  func write(to writer: inout ValueWriter) throws {
    try writer.writeReference("\(notebook)#\(page)") { context, _ in
      (context as? Notebook)?.root.name == notebook
    }
  }

  static func read(from reader: inout ValueReader) throws -> PageNumber {
    let (bytes, context) = try reader.readReference()
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = text.split(separator: "#")
    guard let notebook = context as? Notebook, let page = Int(parts.last ?? "") else {
      throw StateError(.refused(text, type: "PageNumber"))
    }
    if parts[0] != notebook.root.name { throw reader.missing("\(text): another notebook") }
    return PageNumber(notebook: notebook.root.name, page: page)
  }
}

/// A place in a notebook. Its number is there before the notebook.
struct Bookmark: ContextualValue, Equatable {
  var number = 0
  var page: PageNumber?

  typealias Early = Int
  static func standIn(for number: Int) -> Bookmark? { Bookmark(number: number) }

  func write(to writer: inout ValueWriter) throws {
    try writer.writeEarly(number) { try page.write(to: &$0) }
  }

  static func read(from reader: inout ValueReader) throws -> Bookmark {
    try reader.readEarly { number, reader in
      Bookmark(number: number ?? 0, page: try PageNumber?.read(from: &reader))
    }
  }
}

extension Notebook {
  /// The topmost ancestor of the notebook, or the notebook itself if it has no parent.
  var root: Notebook {
    var notebook = self
    while let parent = notebook.parent { notebook = parent }
    return notebook
  }
}

/// A controller with values that can be decoded only when a notebook is available.
final class Reader: Controller, StateRestoring, RestorationFinishing {
  let events: Events
  @Restorable("page") var page: PageNumber?
  @Restorable("draft") var draft = ""
  var mark: PageNumber?

  init(_ events: Events, _ identifier: String? = nil) {
    self.events = events
    super.init()
    restorationIdentifier = identifier
  }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(mark, for: "mark")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    events.add("decode \(restorationIdentifier ?? "?")")
    try coder.whenReady("mark", into: \.mark, of: self)
  }

  func didFinishRestoring() { events.add("finish \(restorationIdentifier ?? "?")") }
}

/// Returns a restoration of screens, forms and readers. It logs each screen of the kind "screen"
/// that it makes.
func makeRestoration(_ events: Events) -> Restoration {
  Restoration { makeParts(events) }
}

@RestorationBuilder
func makeParts(_ events: Events) -> RestorationParts {
  Kind("screen") { request in
    if let existing = request.existing { return existing }
    events.add("make \(request.path.joined(separator: "/"))")
    return Screen(events)
  }
  Kind("screenOfClass", { Screen(events) })
  Kind("reader") { request in request.existing ?? Reader(events) }
  Kind("form", Form.init)
  ContextName("notes", Notebook.self)
}
