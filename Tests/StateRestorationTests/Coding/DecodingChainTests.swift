import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("While a responder is decoded, its chain reaches the application")
struct DecodingChainTests {
  /// A log of calls. Each line has a call and the chain from its responder up to the application.
  private final class Links {
    var lines: [String] = []

    func add(_ call: String, _ responder: Responder) {
      let names = responder.chain.map {
        $0 is Application ? "app" : $0.restorationIdentifier ?? "\(type(of: $0))"
      }
      lines.append("\(call) \(names.joined(separator: "<"))")
    }
  }

  private final class Box: Controller, StateRestoring, RestorationFinishing {
    let links: Links
    var page: PageNumber?

    init(_ links: Links, _ identifier: String? = nil) {
      self.links = links
      super.init()
      restorationIdentifier = identifier
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(page, for: "page")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      #expect(coder.responder === self)
      links.add("decode", self)
      try coder.whenReady("page", into: \.page, of: self)
    }

    func didFinishRestoring() { links.add("finish", self) }
  }

  private final class Pane: ViewResponder, StateRestoring {
    let links: Links

    init(_ links: Links, _ identifier: String? = nil) {
      self.links = links
      super.init()
      restorationIdentifier = identifier
    }

    func encodeRestorableState(with coder: StateEncoder) throws {}
    func decodeRestorableState(with coder: StateDecoder) throws { links.add("decode", self) }
  }

  /// A container whose init makes a frame with two panes. Tests put controllers into the panes.
  private final class Split: Controller, StateRestoring {
    let links: Links
    let left: Pane
    let right: Pane

    init(_ links: Links, _ identifier: String? = nil) {
      self.links = links
      let frame = Pane(links, "frame")
      left = Pane(links, "left")
      right = Pane(links, "right")
      super.init()
      restorationIdentifier = identifier
      do {
        try setRootView(frame)
        try frame.append(left)
        try frame.append(right)
      } catch { Issue.record("\(error)") }
    }

    func encodeRestorableState(with coder: StateEncoder) throws {}
    func decodeRestorableState(with coder: StateDecoder) throws { links.add("decode", self) }
  }

  private final class Object: StateRestoring {
    let links: Links
    init(_ links: Links) { self.links = links }
    func encodeRestorableState(with coder: StateEncoder) throws {}
    func decodeRestorableState(with coder: StateDecoder) throws {
      links.add("object", coder.responder)
    }
  }

  /// A controller that adds a view named "shelf" below itself when it is attached.
  private final class Mover: Controller {
    override func didAttach() {
      let shelf = ViewResponder()
      shelf.restorationIdentifier = "shelf"
      do { try append(shelf) } catch { Issue.record("\(error)") }
    }
  }

  private static func restoration(_ links: Links) -> Restoration {
    Restoration {
      Kind("box") { $0.existing ?? Box(links) }
      Kind("pane") { $0.existing ?? Pane(links) }
      Kind("split") { $0.existing ?? Split(links) }
      Kind("mover") { $0.existing ?? Mover() }
      Kind("shelf") { $0.existing ?? ViewResponder() }
      Kind("later", .whenAttached) { $0.existing ?? Box(links) }
      ContextName("notes", Notebook.self)
    }
  }

  /// Builds a tree with all ways of owning, two containers and an added object.
  ///
  /// - Returns: The object. The caller must retain it, because the restoration does not.
  private static func build(
    _ app: Application, _ links: Links, _ restoration: Restoration
  ) throws -> Object {
    app.provide(Notebook("root"))
    func box(_ identifier: String, in parent: Responder) throws -> Box {
      let box = Box(links, identifier)
      box.restorationKind = "box"
      try parent.append(box)
      box.page = PageNumber(notebook: "root", page: 1)
      return box
    }
    let split = Split(links, "split")
    try app.append(split)
    let inLeft = try box("in left", in: split.left)
    let inner = Split(links, "inner")
    inner.restorationKind = "split"
    try inLeft.append(inner)
    _ = try box("in inner", in: inner.right)
    let sheet = Box(links, "sheet")
    sheet.restorationKind = "box"
    try split.present(sheet)
    sheet.branch(Notebook.self, .keep)
    _ = try box("on sheet", in: sheet)
    let mover = Mover()
    mover.restorationIdentifier = "mover"
    try app.append(mover)
    let shelf = try #require(mover.children.first)
    _ = try box("on shelf", in: shelf)
    let later = try box("later", in: app)
    later.restorationKind = "later"
    _ = try box("below later", in: later)
    let object = Object(links)
    restoration.add(object, as: "object", under: inLeft)
    return object
  }

  private static let chains = [
    "decode split<app", "decode frame<split<app", "decode left<frame<split<app",
    "decode right<frame<split<app", "decode in left<left<frame<split<app",
    "decode inner<in left<left<frame<split<app",
    "decode frame<inner<in left<left<frame<split<app",
    "decode left<frame<inner<in left<left<frame<split<app",
    "decode right<frame<inner<in left<left<frame<split<app",
    "decode in inner<right<frame<inner<in left<left<frame<split<app",
    "decode sheet<split<app", "decode on sheet<sheet<split<app",
    "decode on shelf<shelf<mover<app",
  ]

  @Test(
    "In a launch, later when a context comes, and when a screen is opened",
    arguments: Strategy.allCases, [false, true])
  func launch(strategy: Strategy, isLate: Bool) throws {
    let first = Application(strategy: strategy)
    let saving = Self.restoration(Links())
    let saved = try Self.build(first, Links(), saving)
    let archive = saving.archive(of: first)
    #expect(saving.report.problems == [])

    let links = Links()
    let app = Application(strategy: strategy)
    let delivery = isLate ? app.expect(Notebook.self) : nil
    if !isLate { app.provide(Notebook("root")) }
    let restoration = Self.restoration(links)
    app.launch(restoring: restoration, from: archive)
    let decoded = links.lines.filter { $0.hasPrefix("decode") }
    #expect(decoded.sorted() == Self.chains.sorted(), "\(restoration.report)")
    // Parents come first.
    for (index, line) in decoded.enumerated() {
      let above = line.split(separator: "<", maxSplits: 1)[1]
      #expect(
        above == "app" || decoded[..<index].contains { $0 == "decode \(above)" }
          || above.hasPrefix("shelf"))
    }
    delivery?.deliver(Notebook("root"))
    app.drain()
    let finished = links.lines.filter { $0.hasPrefix("finish") }
    let boxes = Self.chains.filter { line in
      ["in left", "in inner", "sheet", "on sh"].contains { line.hasPrefix("decode \($0)") }
    }
    #expect(finished.sorted() == boxes.map { "finish\($0.dropFirst(6))" }.sorted())

    // A screen that is opened later, with one below it, and an object that is added later.
    links.lines = []
    let later = Box(links, "later")
    try app.append(later)
    #expect(
      links.lines == [
        "decode later<app", "decode below later<later<app", "finish later<app",
        "finish below later<later<app",
      ])
    links.lines = []
    let split = try #require(app.children.first as? Split)
    let inLeft = try #require(split.left.children.first)
    let object = Object(links)
    restoration.add(object, as: "object", under: inLeft)
    #expect(links.lines == ["object in left<left<frame<split<app"])

    // Into the running application.
    links.lines = []
    restoration.restore(archive, into: app)
    let again = links.lines.filter { $0.hasPrefix("decode") }
    let expected = Self.chains + ["decode later<app", "decode below later<later<app"]
    #expect(Set(again).subtracting(expected) == [])
    #expect(Set(expected).subtracting(again) == [])
    #expect(again.count == expected.count)
    #expect(links.lines.contains("object in left<left<frame<split<app"))
    withExtendedLifetime((object, saved)) {}
  }
}
