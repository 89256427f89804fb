import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

/// A controller with bookmarks, whose numbers are there before the notebook.
private final class Browser: Controller, StateRestoring {
  @Restorable("place") var place = Bookmark()
  @Restorable("doubt") var doubt: Bookmark?
  @Restorable("places") var places: [String: [Bookmark]] = [:]
  @Restorable("text") var text = ""
  var spot = Bookmark()

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(spot, for: "spot")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try coder.whenReady("spot", into: \.spot, of: self)
  }
}

/// A controller with the pages alone, as an earlier version has archived them.
private final class PageBrowser: Controller {
  @Restorable("place") var place: PageNumber?
  @Restorable("doubt") var doubt: PageNumber?
}

/// A controller whose early parts are texts.
private final class NamedBrowser: Controller {
  @Restorable("place") var place = NamedMark()
  @Restorable("text") var text = ""
}

private struct NamedMark: ContextualValue {
  typealias Early = String
  var name = ""
  static func standIn(for name: String) -> NamedMark? { NamedMark(name: name) }
  func write(to writer: inout ValueWriter) throws {
    try writer.writeEarly(name) { $0.writeNil() }
  }
  static func read(from reader: inout ValueReader) throws -> NamedMark {
    try reader.readEarly { name, reader in
      _ = try reader.readNil()
      return NamedMark(name: name ?? "none")
    }
  }
}

@Suite("The early part of a contextual value")
struct EarlyPartTests {
  /// Launches an application with one controller, and with the notebook if it `isReady`.
  private func launch<Screen: Controller>(
    _ screen: Screen, from archive: StateArchive?, isReady: Bool
  ) throws -> (app: Application, restoration: Restoration, delivery: Delivery<Notebook>?) {
    let app = Application()
    screen.restorationIdentifier = "browser"
    try app.append(screen)
    if isReady { app.provide(Notebook("root")) }
    let delivery = isReady ? nil : app.expect(Notebook.self)
    let restoration = Restoration { ContextName("notes", Notebook.self) }
    app.launch(restoring: restoration, from: archive)
    return (app, restoration, delivery)
  }

  private func mark(_ number: Int, _ page: Int?) -> Bookmark {
    LawPlace(number: number, page: page).bookmark
  }

  private func archive() throws -> StateArchive {
    let browser = Browser()
    let (app, restoration, _) = try launch(browser, from: nil, isReady: true)
    browser.place = mark(1, 11)
    browser.doubt = mark(2, 12)
    browser.places = ["a": [mark(3, 13), mark(4, nil)], "b": []]
    browser.spot = mark(5, 15)
    browser.text = "text"
    defer { #expect(restoration.report.problems == []) }
    return restoration.archive(of: app)
  }

  @Test("It is there before the context, in optionals, collections and methods, and then all is")
  func parts() throws {
    let browser = Browser()
    let (app, restoration, delivery) = try launch(browser, from: try archive(), isReady: false)
    for _ in 0..<2 {
      #expect(browser.place == mark(1, nil) && browser.doubt == mark(2, nil))
      #expect(browser.places == ["a": [mark(3, nil), mark(4, nil)], "b": []])
      #expect(browser.spot == mark(5, nil))
      #expect(browser.$place.isWaiting && browser.$doubt.isWaiting && browser.$places.isWaiting)
    }
    delivery?.deliver(Notebook("root"))
    app.drain()
    #expect(browser.place == mark(1, 11) && browser.doubt == mark(2, 12))
    #expect(browser.places == ["a": [mark(3, 13), mark(4, nil)], "b": []])
    #expect(browser.spot == mark(5, 15) && !browser.$place.isWaiting)
    #expect(restoration.report.problems == [])
  }

  @Test("Archives of launches without the context keep both parts")
  func carried() throws {
    let first = try archive()
    var archive = first
    for _ in 0..<3 {
      let browser = Browser()
      let (app, restoration, _) = try launch(browser, from: archive, isReady: false)
      #expect(browser.place.number == 1 && browser.spot.number == 5)
      browser.text = "other"
      browser.text = "text"
      archive = restoration.archive(of: app)
    }
    let browser = Browser()
    let kept = try launch(browser, from: archive, isReady: true)
    defer { withExtendedLifetime(kept) {} }
    #expect(browser.place == mark(1, 11) && browser.spot == mark(5, 15))
    #expect(browser.places["a"] == [mark(3, 13), mark(4, nil)])
  }

  @Test("A value that is set meanwhile stays, and the others get their late parts")
  func edited() throws {
    let browser = Browser()
    let (app, restoration, delivery) = try launch(browser, from: try archive(), isReady: false)
    browser.place.number += 20
    browser.spot = mark(25, nil)
    browser.invalidateRestorableState()
    let between = restoration.archive(of: app)
    delivery?.deliver(Notebook("root"))
    app.drain()
    #expect(browser.place == mark(21, nil) && browser.spot == mark(25, nil))
    #expect(browser.doubt == mark(2, 12))
    for archive in [between, restoration.archive(of: app)] {
      let again = Browser()
      let kept = try launch(again, from: archive, isReady: true)
      defer { withExtendedLifetime(kept) {} }
      #expect(again.place == mark(21, nil) && again.spot == mark(25, nil))
      #expect(again.doubt == mark(2, 12))
    }
  }

  @Test(
    "The late part alone is read where an earlier version has archived it, and the other way round")
  func otherVersions() throws {
    let pages = PageBrowser()
    let early = try launch(pages, from: try archive(), isReady: false)
    #expect(pages.place == nil && pages.$place.isWaiting)
    withExtendedLifetime(early) {}
    let ready = PageBrowser()
    let (app, restoration, _) = try launch(ready, from: try archive(), isReady: true)
    #expect(ready.place?.page == 11 && ready.doubt?.page == 12)
    ready.place = PageNumber(notebook: "root", page: 31)
    let browser = Browser()
    let late = try launch(browser, from: restoration.archive(of: app), isReady: false)
    #expect(browser.place == Bookmark() && browser.$place.isWaiting)
    late.delivery?.deliver(Notebook("root"))
    late.app.drain()
    #expect(browser.place == mark(0, 31))
    #expect(restoration.report.problems + late.restoration.report.problems == [])
  }

  @Test("One of another type costs its key, is reported once, and its bytes stay")
  func wrongType() throws {
    for isReady in [false, true] {
      let named = NamedBrowser()
      let (app, restoration, _) = try launch(named, from: try archive(), isReady: isReady)
      for _ in 0..<2 { #expect(named.place.name == "" && named.text == "text") }
      #expect(restoration.report.problems.count == 1)
      #expect(restoration.report.problems.first?.contains("\"place\" was not read") == true)
      named.text = "changed"
      let browser = Browser()
      let kept = try launch(browser, from: restoration.archive(of: app), isReady: true)
      defer { withExtendedLifetime(kept) {} }
      #expect(browser.place == mark(1, 11) && browser.text == "changed")
    }
  }

  @Test("A value without an early part costs no byte")
  func noBytes() throws {
    let pages = PageBrowser()
    let (app, restoration, _) = try launch(pages, from: nil, isReady: true)
    pages.place = PageNumber(notebook: "root", page: 1)
    let bytes = restoration.archive(of: app).bytes
    // A tag, and two texts with their lengths.
    let reference: [UInt8] = [16, 5] + Array("notes".utf8) + [6] + Array("root#1".utf8)
    let size: [UInt8] = [UInt8(reference.count), 0, 0, 0]
    #expect(bytes.firstRange(of: Array("place".utf8) + size + reference) != nil)
  }
}
