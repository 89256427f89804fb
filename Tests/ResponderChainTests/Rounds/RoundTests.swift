import LineageTestSupport
import ResponderChain
import Testing

@Suite("Law 3: affected observers are called by hops from the root, then by registration")
@MainActor
struct RoundTests {
  @Test(
    "Observers are called by hops from the root, then by registration",
    arguments: Strategy.allCases)
  func order(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let tokens = [tree.leaf, tree.uncle, tree.page, tree.right, tree.left, tree.application]
      .map { log.observe($0, Theme.self) }
    _ = log.take()
    tree.application.provide(Theme("dark"))
    #expect(
      log.take() == [
        "app value dark", "right value dark", "left value dark", "uncle value dark",
        "page value dark", "leaf value dark",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("Each hears what it resolves to at that moment", arguments: Strategy.allCases)
  func moment(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    var isArmed = false
    let first = tree.left.observe(Theme.self) { me, theme in
      log.lines.append("left \(theme)")
      if isArmed { me.application?.provide(Theme("\(theme.value?.ink ?? "") again")) }
      isArmed = false
    }
    let second = log.observe(tree.leaf, Theme.self)
    _ = log.take()
    isArmed = true
    tree.application.provide(Theme("dark"))
    #expect(log.take() == ["left value dark", "left value dark again", "leaf value dark again"])
    withExtendedLifetime((first, second)) {}
  }

  @Test("What equals the last heard is not told again", arguments: Strategy.allCases)
  func unchanged(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let token = log.observe(tree.leaf, Theme.self)
    tree.application.batch {
      tree.application.provide(Theme("dark"))
      tree.left.provide(Theme("light"))
      tree.application.block(Theme.self)
    }
    #expect(log.take() == ["leaf missing", "leaf value light"])
    tree.application.batch {
      tree.left.provide(Theme("dark"))
      tree.left.provide(Theme("light"))
    }
    #expect(log.take().isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test("A callback that detaches a sibling silences it", arguments: Strategy.allCases)
  func detached(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    var isArmed = false
    let first = tree.left.observe(Theme.self) { [weak right = tree.right] _, theme in
      log.lines.append("left \(theme)")
      if isArmed { right?.removeFromParent() }
    }
    let tokens = [tree.right, tree.uncle].map { log.observe($0, Theme.self) }
    _ = log.take()
    isArmed = true
    tree.application.provide(Theme("dark"))
    #expect(log.take() == ["left value dark"])
    try tree.application.append(tree.right)
    #expect(log.take() == ["right value dark", "uncle value dark"])
    withExtendedLifetime((first, tokens)) {}
  }

  @Test("An observer added in a callback is called at once, and once", arguments: Strategy.allCases)
  func added(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    var tokens: [ContextObservation] = []
    let first = tree.left.observe(Theme.self) { [weak leaf = tree.leaf] _, theme in
      log.lines.append("left \(theme)")
      if let leaf, theme.value != nil { tokens.append(log.observe(leaf, Theme.self)) }
    }
    tree.application.provide(Theme("dark"))
    #expect(log.take() == ["left missing", "left value dark", "leaf value dark"])
    withExtendedLifetime((first, tokens)) {}
  }

  @Test("An observer whose token ended hears nothing more", arguments: Strategy.allCases)
  func ended(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let ended = log.observe(tree.leaf, Theme.self)
    var dropped: ContextObservation? = log.observe(tree.page, Theme.self)
    let kept = log.observe(tree.left, Theme.self)
    _ = log.take()
    ended.cancel()
    withExtendedLifetime(dropped) {}
    dropped = nil
    tree.application.provide(Theme("dark"))
    #expect(log.take() == ["left value dark"])
    withExtendedLifetime((ended, kept)) {}
  }

  @Test("A token dropped inside its own callback is safe", arguments: Strategy.allCases)
  func droppedInside(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let census = Census()
    let log = Log()
    final class Box { var token: ContextObservation? }
    let box = Box()
    let citizen = Citizen(of: census)
    box.token = tree.leaf.observe(Theme.self) { [citizen] _, theme in
      if theme.value != nil { box.token = nil }
      log.lines.append("leaf \(theme) \(citizen.census.population)")
    }
    tree.application.provide(Theme("dark"))
    tree.application.provide(Theme("light"))
    #expect(log.take() == ["leaf missing 1", "leaf value dark 1"])
  }

  @Test(
    "A token dropped by an earlier callback of the round silences its observer",
    arguments: Strategy.allCases)
  func droppedByAnother(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    final class Box { var token: ContextObservation? }
    let box = Box()
    let first = tree.left.observe(Theme.self) { _, theme in
      if theme.value != nil { box.token = nil }
    }
    box.token = log.observe(tree.leaf, Theme.self)
    tree.application.provide(Theme("dark"))
    #expect(log.take() == ["leaf missing"])
    withExtendedLifetime(first) {}
  }

  @Test(
    "After a hundred calls no observer is called, and a fault names key and responder",
    arguments: Strategy.allCases)
  func fault(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    var faults: [String] = []
    tree.application.onFault = { faults.append($0.description) }
    var calls = 0
    let token = tree.leaf.observe(Theme.self) { me, theme in
      calls += 1
      if theme.value != nil { me.application?.provide(Theme("\(calls)")) }
    }
    tree.application.provide(Theme("start"))
    #expect(calls == 101, "the first call is the observation's own")
    #expect(
      faults == [
        "An observer of Theme at Page \"leaf\" in Page \"page\" in Screen \"left\" in Application "
          + "was called 100 times in one round of notifications and was to be called again: a "
          + "callback changes what it observes. In this round no more observers were called; waits "
          + "were ended and branches checked."
      ])
    calls = 0
    token.cancel()
    let other = Log()
    let second = other.observe(tree.uncle, Theme.self)
    tree.application.provide(Theme("fine"))
    #expect(other.lines.last == "uncle value fine", "the next round works")
    withExtendedLifetime(second) {}
  }

  @Test("What onFault changes is told", arguments: Strategy.allCases)
  func changesInOnFault(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let other = log.observe(tree.uncle, Session.self)
    tree.application.onFault = { fault in
      fault.responder.application?.provide(Session("fault"))
    }
    var count = 0
    let token = tree.left.observe(Theme.self) { me, _ in
      count += 1
      me.application?.provide(Theme("\(count)"))
    }
    tree.application.provide(Theme("start"))
    #expect(tree.uncle.context(Session.self)?.user == "fault")
    #expect(log.take().contains("uncle value fault"))
    withExtendedLifetime((token, other)) {}
  }

  @Test("A responder whose end is in a callback may take its handler off in its deinit")
  func endInCallback() async {
    await #expect(processExitsWith: .success) {
      struct Save {}
      final class Tidy: Controller {
        var token: ContextObservation?
        deinit { off(Save.self) }
      }
      final class Box { var tidy: Tidy? }
      let application = Application()
      let box = Box()
      do {
        let tidy = Tidy()
        tidy.on(Save.self) { _, _ in }
        tidy.token = tidy.observe(Theme.self) { _, _ in }
        box.tidy = tidy
      }
      let token = application.observe(Theme.self) { _, theme in
        if theme.value != nil { box.tidy = nil }
      }
      application.provide(Theme("dark"))
      #expect(box.tidy == nil)
      withExtendedLifetime(token) {}
    }
  }
}
