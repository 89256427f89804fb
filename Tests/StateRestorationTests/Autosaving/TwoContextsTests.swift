import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Values that wait for two contexts")
struct TwoContextsTests {
  /// A controller with two pages, which wait for different notebooks.
  private final class TwoPages: Controller, StateRestoring, RestorationFinishing {
    var left: PageNumber?
    var right: PageNumber?
    var finished = 0

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(left, for: "left")
      try coder.encode(right, for: "right")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      try coder.whenReady("left", into: \.left, of: self)
      try coder.whenReady("right", into: \.right, of: self)
    }

    func didFinishRestoring() { finished += 1 }
  }

  /// A launch. Its notebooks become available when a test delivers them.
  private struct Launch {
    let app = Application()
    let restoration: Restoration
    let clock = ManualSaveClock()
    let left: Delivery<Notebook>
    let right: Delivery<Notebook>

    init(_ storage: CountedFolder) {
      left = app.expect(Notebook.self)
      right = app.expect(Archive.self)
      restoration = Restoration(in: .at(storage.url), clock: clock) {
        Kind("pages", TwoPages.init)
        ContextName("left", Notebook.self)
        ContextName("right", Archive.self)
      }
      app.launch(restoring: restoration)
    }

    func deliver(_ names: String) {
      if names.contains("l") { left.deliver(Notebook("left")) }
      if names.contains("r") { right.deliver(Notebook("right")) }
      app.drain()
    }

    var pages: TwoPages? { app.children.first as? TwoPages }
    var waits: Bool { restoration.report.count(.waiting) == 1 }
  }

  private static let one = PageNumber(notebook: "left", page: 1)
  private static let two = PageNumber(notebook: "right", page: 2)

  private func prepare() throws -> CountedFolder {
    let storage = try CountedFolder()
    let launch = Launch(storage)
    launch.deliver("lr")
    let pages = TwoPages()
    pages.restorationIdentifier = "pages"
    try launch.app.append(pages)
    (pages.left, pages.right) = (Self.one, Self.two)
    launch.app.terminate()
    return storage
  }

  @Test(
    "The value of the context that is there comes at once, and the other one later",
    arguments: ["l", "r"])
  func partly(first: String) throws {
    let launch = Launch(try prepare())
    #expect(launch.waits)
    launch.deliver(first)
    let pages = try #require(launch.pages)
    #expect(pages.left == (first == "l" ? Self.one : nil))
    #expect(pages.right == (first == "r" ? Self.two : nil))
    #expect(launch.waits && pages.finished == 0)
    launch.deliver(first == "l" ? "r" : "l")
    #expect(pages.left == Self.one && pages.right == Self.two)
    #expect(!launch.waits && pages.finished == 1)
  }

  @Test(
    "A save between the two keeps the value that waits, and writes an edit of the other one",
    arguments: ["l", "r"], [false, true])
  func saved(first: String, isFull: Bool) throws {
    let storage = try prepare()
    do {
      let launch = Launch(storage)
      launch.deliver(first)
      let edited = PageNumber(notebook: first == "l" ? "left" : "right", page: 7)
      if first == "l" { launch.pages?.left = edited } else { launch.pages?.right = edited }
      launch.pages?.invalidateRestorableState()
      if isFull { try launch.restoration.save() }
      launch.clock.advance(by: 0.25)
      launch.app.drain()
      launch.restoration.finishWriting()
    }
    let launch = Launch(storage)
    launch.deliver("lr")
    #expect(launch.pages?.left?.page == (first == "l" ? 7 : 1))
    #expect(launch.pages?.right?.page == (first == "r" ? 7 : 2))
    #expect(launch.restoration.report.problems == [])
  }
}
