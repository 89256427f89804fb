import LineageTestSupport
import ResponderChain
import Testing

@Suite("Children that outlive their parent")
@MainActor
struct EndTests {
  @Test("They are told, and so are those below them", arguments: Strategy.allCases)
  func told(_ strategy: Strategy) throws {
    let application = Application(strategy: strategy)
    var first: Screen? = Screen("first")
    var second: Screen? = Screen("second")
    let last = Screen("last")
    try application.append(#require(first))
    try first?.append(#require(second))
    try second?.append(last)
    second?.provide(Theme("second"))
    let log = Log()
    let token = log.observe(last, Theme.self)
    _ = log.take()
    first?.removeFromParent()
    first = nil
    application.drain()
    #expect(log.take() == [])
    second = nil
    application.drain()
    #expect(last.resolve(Theme.self).description == "missing")
    #expect(log.take() == ["last missing"])
    withExtendedLifetime(token) {}
  }

  @Test("They are told of an end within another tree's end", arguments: Strategy.allCases)
  func within(_ strategy: Strategy) throws {
    final class Holder: Controller { var other: Responder? }
    let application = Application(strategy: strategy)
    let child = Screen("child")
    var top: Controller? = Controller()
    do {
      let parent = Screen("parent")
      try application.append(parent)
      try parent.append(child)
      parent.provide(Theme("parent"))
      parent.removeFromParent()
      let holder = Holder()
      holder.other = parent
      try top?.append(holder)
    }
    let log = Log()
    let token = log.observe(child, Theme.self)
    #expect(log.take() == ["child value parent"])
    top = nil
    application.drain()
    #expect(log.take() == ["child missing"])
    withExtendedLifetime(token) {}
  }

  @Test("An application may hand its children on when it ends", arguments: Strategy.allCases)
  func heirs(_ strategy: Strategy) throws {
    final class Testator: Application {
      var heir: Application?
      deinit { for child in children { try? heir?.append(child) } }
    }
    let heir = Application(strategy: strategy)
    let screen = Screen("screen")
    do {
      let old = Testator(strategy: strategy)
      old.heir = heir
      old.provide(Theme("old"))
      try old.append(screen)
      #expect(screen.context(Theme.self) == Theme("old"))
    }
    #expect(screen.nextResponder === heir)
    #expect(screen.resolve(Theme.self).description == "missing")
    #expect([heir, screen].flatMap { $0.checkInvariants() } == [])
  }
}
