import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("What a controller makes or declares in its init meets the archive")
struct MadeInInitTests {
  /// The slot that a controller declares in its init.
  enum Declared: String, CaseIterable { case nothing, follow, keep, block, value, pending }

  /// The role in which a controller owns the child that it makes in its init.
  enum Place: CaseIterable { case child, rootView, presented }

  /// A controller that declares a slot in its init.
  private final class Brancher: Controller {
    @Restorable("page") var page: PageNumber?

    init(_ declared: Declared) {
      super.init()
      switch declared {
      case .nothing: break
      case .follow: branch(Notebook.self, .follow)
      case .keep: branch(Notebook.self, .keep)
      case .block: block(Notebook.self)
      case .value: provide(Notebook("own"))
      case .pending: _ = expect(Notebook.self)
      }
    }
  }

  private static func branches(_ declared: Declared) -> Restoration {
    Restoration {
      Kind("brancher") { $0.existing ?? Brancher(declared) }
      ContextName("notes", Notebook.self)
    }
  }

  private static func archive(_ declared: Declared) throws -> StateArchive {
    let app = Application()
    app.provide(Notebook("root"))
    let brancher = Brancher(declared)
    brancher.restorationIdentifier = "brancher"
    try app.append(brancher)
    return branches(declared).archive(of: app)
  }

  @Test(
    "The same branch is one child, and no difference", arguments: [Declared.follow, .keep],
    [0, 1, 2])
  func sameBranch(declared: Declared, readiness: Int) throws {
    let app = Application()
    let delivery = readiness == 2 ? app.expect(Notebook.self) : nil
    if readiness == 0 { app.provide(Notebook("root")) }
    let restoration = Self.branches(declared)
    app.launch(restoring: restoration, from: try Self.archive(declared))
    if readiness == 1 { app.provide(Notebook("root")) }
    delivery?.deliver(Notebook("root"))
    app.drain()
    let root = try #require(app.context(Notebook.self))
    let brancher = try #require(app.children.first as? Brancher)
    let child = try #require(brancher.context(Notebook.self))
    #expect(child.parent === root)
    #expect(brancher.context(Notebook.self) === child)
    #expect(root.childCount == 1)
    #expect(brancher.slotSummaries.map(\.kind) == [.branch(declared == .keep ? .keep : .follow)])
    #expect(restoration.report.records.map(\.reason) == [nil, nil])
    #expect(restoration.report.notes == [])
    #expect(restoration.report.problems == [])
  }

  @Test(
    "Code wins over another slot of the archive, and the report says so once",
    arguments: Declared.allCases, Declared.allCases)
  func otherSlot(archived: Declared, declared: Declared) throws {
    let app = Application()
    app.provide(Notebook("root"))
    let restoration = Self.branches(declared)
    app.launch(restoring: restoration, from: try Self.archive(archived))
    let brancher = try #require(app.children.first as? Brancher)
    let kinds = brancher.slotSummaries.map(\.kind)
    let record = try #require(restoration.report.records.last)
    #expect(record.path == ["brancher"])
    #expect(record.outcome == .restored)
    let isKept: Set<Declared> = [.follow, .keep, .block]
    switch (archived, declared) {
    case (_, .nothing):
      // The archive's slot is added, unless it is a value, which only code can make.
      #expect(kinds == (isKept.contains(archived) ? Self.kinds(archived) : []))
      #expect(record.reason == nil)
    case _ where isKept.contains(archived) && archived != declared:
      #expect(kinds == Self.kinds(declared))
      #expect(record.reason?.contains("code has declared \(Self.kinds(declared)[0])") == true)
    default:
      #expect(kinds == Self.kinds(declared))
      #expect(record.reason == nil)
    }
    // The next archive has the slots that code has declared, so the next report has no difference.
    let again = Application()
    again.provide(Notebook("root"))
    let next = Self.branches(declared)
    again.launch(restoring: next, from: restoration.archive(of: app))
    #expect(next.report.records.map(\.reason) == [nil, nil])
  }

  private static func kinds(_ declared: Declared) -> [SlotSummary.SlotKind] {
    switch declared {
    case .nothing: []
    case .follow: [.branch(.follow)]
    case .keep: [.branch(.keep)]
    case .block: [.block]
    case .value: [.value]
    case .pending: [.pending]
    }
  }

  /// A view that saves a text.
  private final class Pane: ViewResponder, StateRestoring, RestorationFinishing {
    @Restorable("text") var text = "initial"
    var decoded = 0
    var finished = 0
    func encodeRestorableState(with coder: StateEncoder) throws {}
    func decodeRestorableState(with coder: StateDecoder) throws { decoded += 1 }
    func didFinishRestoring() { finished += 1 }
  }

  /// A controller whose init makes a child and a responder below the child. With nil as the place,
  /// it makes neither of them.
  private final class Parent: Controller {
    init(_ place: Place?) throws {
      super.init()
      guard let place else { return }
      let inner = Scripted("inner")
      inner.text = "set in init"
      switch place {
      case .child:
        let child = Scripted("child")
        child.text = "set in init"
        try append(child)
        try child.append(inner)
      case .rootView:
        let pane = Pane()
        pane.restorationIdentifier = "child"
        pane.text = "set in init"
        try setRootView(pane)
        try pane.append(inner)
      case .presented:
        let child = Scripted("child")
        child.text = "set in init"
        try present(child)
        try child.append(inner)
      }
    }

    var child: Responder? { rootView ?? presented ?? children.first }
  }

  /// Returns the archive of a ``Parent`` and of the two responders that its init has made.
  private static func parentArchive(_ place: Place) throws -> StateArchive {
    let app = Application()
    let parent = try Parent(place)
    parent.restorationIdentifier = "parent"
    try app.append(parent)
    (parent.child as? Scripted)?.text = "archived child"
    (parent.child as? Pane)?.text = "archived child"
    (parent.child?.children.first as? Scripted)?.text = "archived inner"
    let restoration = Restoration {}
    let archive = restoration.archive(of: app)
    #expect(restoration.report.problems == [])
    return archive
  }

  /// A way in which the child's kind makes responders.
  enum Factory: CaseIterable { case byClass, usesExisting, ignoresExisting, otherClass, none }

  private static func restoration(
    _ place: Place, _ factory: Factory, makesInInit: Bool = true
  ) -> Restoration {
    func makeChild() -> Responder { place == .rootView ? Pane() : Scripted() }
    return Restoration {
      Kind("parent") { try $0.existing ?? Parent(makesInInit ? place : nil) }
      Kind("inner", Scripted.init)
      switch factory {
      case .byClass:
        if place == .rootView { Kind("child", Pane.init) } else { Kind("child", Scripted.init) }
      case .usesExisting: Kind("child") { $0.existing ?? makeChild() }
      case .ignoresExisting: Kind("child") { _ in makeChild() }
      case .otherClass: Kind("child") { _ in place == .rootView ? ViewResponder() : Controller() }
      case .none: Restoration.noKinds
      }
    }
  }

  @Test(
    "A child that a parent makes is the one instance, which is decoded and finished once",
    arguments: Place.allCases, Factory.allCases)
  func child(place: Place, factory: Factory) throws {
    let app = Application()
    let restoration = Self.restoration(place, factory)
    app.launch(restoring: restoration, from: try Self.parentArchive(place))
    let parent = try #require(app.children.first as? Parent)
    #expect(parent.ownedCount == 1)
    let child = try #require(parent.child)
    #expect(child.children.count == 1)
    let inner = try #require(child.children.first as? Scripted)
    let counts = [
      (child as? Scripted)?.decoded ?? (child as? Pane)?.decoded,
      (child as? Scripted)?.finished ?? (child as? Pane)?.finished, inner.decoded, inner.finished,
    ]
    let text = (child as? Scripted)?.text ?? (child as? Pane)?.text
    let record = restoration.report.records[2]
    #expect(record.path == ["parent", "child"])
    if factory == .otherClass {
      // A responder of another class cannot get the values. So the record is carried, together with
      // all records below it.
      #expect(counts == [0, 0, 0, 0])
      #expect([text, inner.text] == ["set in init", "set in init"])
      #expect(restoration.report.count(.carried) == 2)
      #expect(record.reason?.contains("taken") == true)
      return
    }
    #expect(counts == [1, 1, 1, 1])
    #expect([text, inner.text] == ["archived child", "archived inner"])
    #expect(restoration.report.count(.restored) == 4)
    #expect((record.reason?.contains("taken") == true) == (factory == .ignoresExisting))
    #expect(restoration.report.problems == [])

    // The next launch restores the same tree, although its parents make nothing in their init.
    let again = Application()
    let next = Self.restoration(place, .byClass, makesInInit: false)
    again.launch(restoring: next, from: restoration.archive(of: app))
    let last = try #require(again.children.first as? Parent)
    #expect((last.child as? Scripted)?.text ?? (last.child as? Pane)?.text == "archived child")
    #expect((last.child?.children.first as? Scripted)?.text == "archived inner")
    #expect(next.report.count(.restored) == 4)
  }
}

extension Restoration {
  /// Empty parts of a restoration, for a factory that is not registered as a kind.
  fileprivate static var noKinds: RestorationParts { RestorationBuilder.buildOptional(nil) }
}
