import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

/// A reference that leads to nothing, or to nothing for now.
private struct Lost: ContextualValue {
  let isForNow: Bool

  func write(to writer: inout ValueWriter) throws {
    try writer.writeReference(isForNow ? "later" : "never") { context, _ in context is Notebook }
  }

  static func read(from reader: inout ValueReader) throws -> Lost {
    let text = String(decoding: try reader.readReference().text, as: UTF8.self)
    throw reader.missing(text, isForNow: text == "later")
  }
}

private final class Follower: Controller {
  @Restorable("page") var page: PageNumber?
  @Restorable("never") var never: Lost?
  @Restorable("later") var later: Lost?
  var heard: [String] = []

  override init() {
    super.init()
    $page.follow { responder, page, isGone in
      (responder as? Follower)?.heard.append("page \(page?.page ?? 0) \(isGone)")
    }
    $never.follow { responder, _, isGone in
      (responder as? Follower)?.heard.append("never \(isGone)")
    }
    $later.follow { responder, _, isGone in
      (responder as? Follower)?.heard.append("later \(isGone)")
    }
    heard = []
  }
}

@Suite("The followers of a property")
struct FollowedPropertyTests {
  @Test(
    "They hear of sets, and of archived values as soon as the context is there", arguments: 0..<3)
  func archived(moment: Int) throws {
    let (app, follower) = (Application(), Follower())
    app.provide(Notebook("root"))
    try app.append(follower)
    follower.restorationIdentifier = "follower"
    follower.page = PageNumber(notebook: "root", page: 3)
    #expect(follower.heard == ["page 3 false"])
    (follower.never, follower.later) = (Lost(isForNow: false), Lost(isForNow: true))
    let parts = Restoration {
      Kind("follower", Follower.init)
      ContextName("notes", Notebook.self)
    }
    let archive = parts.archive(of: app)
    let again = Application()
    let restoration = Restoration {
      Kind("follower", Follower.init)
      ContextName("notes", Notebook.self)
    }
    let delivery = moment > 0 ? again.expect(Notebook.self) : nil
    if moment == 0 { again.provide(Notebook("root")) }
    if moment == 1 { restoration.didDecode = { $0.provide(Notebook("root")) } }
    again.launch(restoring: restoration, from: archive)
    let restored = try #require(again.children.first as? Follower)
    if moment == 2 {
      #expect(restored.heard == [] && restored.page == nil)
      delivery?.deliver(Notebook("root"))
      again.drain()
    }
    #expect(restored.heard.sorted() == ["later false", "never true", "page 3 false"])
    // The bytes of what leads to nothing stay.
    #expect(restored.$never.missing == ["never"] && restored.$later.missing == ["later"])
    let last = Application()
    last.provide(Notebook("root"))
    last.launch(
      restoring: Restoration {
        Kind("follower", Follower.init)
        ContextName("notes", Notebook.self)
      }, from: restoration.archive(of: again))
    #expect((last.children.first as? Follower)?.heard.count == 3)
  }

  @Test("No closure retains the responder")
  func released() throws {
    weak var released: Follower?
    try {
      let (app, follower) = (Application(), Follower())
      released = follower
      follower.restorationIdentifier = "follower"
      try app.append(follower)
      let restoration = Restoration { ContextName("notes", Notebook.self) }
      app.launch(restoring: restoration, from: restoration.archive(of: app))
    }()
    #expect(released == nil)
  }
}
