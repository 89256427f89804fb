import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The first responder comes back")
struct RestoredFirstTests {
  private func restoration(_ time: Kind.RestorationTime = .atLaunch) -> Restoration {
    Restoration {
      Kind("screen") { Controller() }
      Kind("sheet", time) { Controller() }
    }
  }

  /// Adds a controller under a name, which is also that of its kind unless another is given.
  @discardableResult
  private func add(_ name: String, to parent: Responder, kind: String? = nil) throws -> Controller {
    let controller = Controller()
    controller.restorationKind = kind ?? name
    try parent.append(controller, as: name)
    return controller
  }

  private func launch(_ restoration: Restoration, _ archive: StateArchive) -> Application {
    let application = Application()
    application.launch(restoring: restoration, from: archive)
    return application
  }

  private func find(_ application: Application, _ path: String...) -> Responder? {
    path.reduce(application as Responder?) { node, name in
      node?.children.first { $0.restorationIdentifier == name }
    }
  }

  /// Returns an archive of a sheet in the second of two screens. A view of the sheet is the first
  /// responder, which has no identifier.
  private func archive() throws -> StateArchive {
    let application = Application()
    try fill(application)
    return restoration().archive(of: application)
  }

  private func fill(_ application: Application) throws {
    try add("one", to: application, kind: "screen")
    let sheet = try add("sheet", to: add("two", to: application, kind: "screen"))
    let field = ViewResponder()  // it has no identifier, so its nearest archived ancestor counts
    try sheet.append(field)
    try application.makeFirst(field)
  }

  @Test("The nearest archived responder is the first again, and each change is archived")
  func again() throws {
    let restoration = restoration()
    let application = launch(restoration, try archive())
    #expect(application.firstResponder === find(application, "two", "sheet"))
    #expect(application.firstResponder != nil)
    try application.makeFirst(find(application, "one"))
    let other = self.restoration()
    let next = launch(other, restoration.archive(of: application, asksAll: false))
    #expect(next.firstResponder === find(next, "one") && next.firstResponder != nil)
    try next.makeFirst(nil)
    let last = launch(self.restoration(), other.archive(of: next))
    #expect(last.firstResponder == nil)
    #expect(restoration.report.problems == [])
  }

  @Test("None, and the same one again, are archived, too")
  func noneBetween() throws {
    let restoration = restoration()
    let application = launch(restoration, try archive())
    let one = try #require(find(application, "one"))
    for first in [one, nil, one, nil, find(application, "two"), one] {
      try application.makeFirst(first)
      let next = launch(self.restoration(), restoration.archive(of: application, asksAll: false))
      #expect(next.firstResponder?.restorationIdentifier == first?.restorationIdentifier)
    }
  }

  @Test("A target that is not there yet takes over when it comes, also in a later launch")
  func late() throws {
    var archive = try archive()
    for _ in 0..<2 {
      let restoration = restoration(.whenAttached)
      let application = launch(restoration, archive)
      #expect(application.firstResponder == nil)
      archive = restoration.archive(of: application)
    }
    let application = launch(restoration(.whenAttached), archive)
    let sheet = try add("sheet", to: #require(find(application, "two")))
    #expect(application.firstResponder === sheet)
  }

  @Test("Unless the program has made another one the first meanwhile")
  func moved() throws {
    let restoration = restoration(.whenAttached)
    let application = launch(restoration, try archive())
    let one = try #require(find(application, "one"))
    try application.makeFirst(one)
    let archive = restoration.archive(of: application, asksAll: false)
    try add("sheet", to: #require(find(application, "two")))
    #expect(application.firstResponder === one)
    let next = launch(self.restoration(.whenAttached), archive)
    try add("sheet", to: #require(find(next, "two")))
    #expect(next.firstResponder === find(next, "one"))
  }

  @Test("Screens that make themselves the first when they appear do not win at a launch")
  func appearing() throws {
    final class Eager: Controller {
      override func didAttach() { try? application?.makeFirst(self) }
    }
    let archive = try archive()
    for time in [Kind.RestorationTime.atLaunch, .whenAttached] {
      let restoration = Restoration {
        Kind("screen") { Eager() }
        Kind("sheet", time) { Controller() }
      }
      let application = launch(restoration, archive)
      #expect(application.firstResponder != nil)
      if time == .whenAttached { try add("sheet", to: #require(find(application, "two"))) }
      #expect(application.firstResponder === find(application, "two", "sheet"))
    }
  }

  @Test("A rehearsal compares it")
  func rehearsal() throws {
    let application = Application()
    try fill(application)
    let restoration = restoration()
    let copy = try restoration.rehearse(from: application) { Application() }
    #expect(copy.firstResponder === find(copy, "two", "sheet") && copy.firstResponder != nil)
  }
}
