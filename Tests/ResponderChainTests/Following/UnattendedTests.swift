import LineageTestSupport
import ResponderChain
import Testing

/// Tests of loops over updates in a program that does not run its application. The loops apply the
/// letters that arrive.
@Suite("Updates where nobody runs the application", .hangGuard)
@MainActor
struct UnattendedTests {
  /// A list of the states that a loop has received.
  private final class Heard {
    var lines: [String] = []
  }

  /// Starts a loop over the updates of a theme. The loop ends when it receives a value or is
  /// cancelled.
  private func loop(_ responder: Responder, _ heard: Heard) -> Task<Void, Never> {
    let updates = responder.updates(of: Theme.self)
    return Task {
      for await theme in updates {
        heard.lines.append("\(theme)")
        if theme.value != nil { break }
      }
    }
  }

  @Test("A loop is given what is delivered while it waits", arguments: Strategy.allCases)
  func delivered(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Theme.self)
    let heard = Heard()
    let task = loop(tree.leaf, heard)
    try await until { heard.lines == ["pending"] }
    try await onThread { delivery.deliver(Theme("dark")) }
    await task.value
    #expect(heard.lines == ["pending", "value dark"])
    #expect(tree.application.mailbox.count == 0)
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
  }

  @Test("A loop is given what had arrived before it began", arguments: Strategy.allCases)
  func arrived(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    tree.application.mailbox.post { $0.provide(Theme("dark")) }
    let heard = Heard()
    await loop(tree.leaf, heard).value
    #expect(heard.lines == ["missing", "value dark"])
  }

  @Test("Nor does a detached tree need anybody else", arguments: Strategy.allCases)
  func detached(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    tree.left.removeFromParent()
    _ = tree.left.expect(Theme.self)
    let heard = Heard()
    let task = loop(tree.leaf, heard)
    try await until { heard.lines == ["pending"] }
    // The new pending slot has another mailbox, but the state is still pending.
    let delivery = tree.left.expect(Theme.self)
    for _ in 0..<5 { await Task.yield() }
    try await onThread { delivery.deliver(Theme("dark")) }
    await task.value
    #expect(heard.lines == ["pending", "value dark"])
  }

  @Test("A loop goes on where its responder has moved", arguments: Strategy.allCases)
  func moved(_ strategy: Strategy) async throws {
    let first = try SmallTree(strategy), second = try SmallTree(strategy)
    let delivery = first.left.expect(Theme.self)
    let heard = Heard()
    let task = loop(first.leaf, heard)
    try await until { heard.lines == ["pending"] }
    first.left.removeFromParent()
    for _ in 0..<5 { await Task.yield() }
    try second.right.append(first.left)
    for _ in 0..<5 { await Task.yield() }
    try await onThread { delivery.deliver(Theme("dark")) }
    await task.value
    #expect(heard.lines == ["pending", "value dark"])
  }

  @Test("A loop that is cancelled leaves no mail behind", arguments: Strategy.allCases)
  func handOver(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Theme.self)
    let heard = [Heard(), Heard()]
    let tasks = [loop(tree.leaf, heard[0]), loop(tree.uncle, heard[1])]
    try await until { heard.allSatisfy { $0.lines.count == 1 } }
    for _ in 0..<5 { await Task.yield() }
    delivery.deliver(Theme("dark"))
    tasks[0].cancel()
    await tasks[1].value
    #expect(heard[1].lines == ["pending", "value dark"])
    await tasks[0].value
  }

  @Test(
    "A loop that waits keeps nothing, and ends with its responder", arguments: Strategy.allCases)
  func ends(_ strategy: Strategy) async throws {
    let census = Census()
    let application = Application(strategy: strategy)
    let heard = Heard()
    var page: Page? = Page("page", in: census)
    try application.append(#require(page))
    let task = loop(try #require(page), heard)
    try await until { heard.lines == ["missing"] }
    for _ in 0..<5 { await Task.yield() }
    page?.removeFromParent()
    page = nil
    #expect(census.population == 0)
    await task.value
    application.provide(Theme("late"))
    #expect(application.checkInvariants() == [])
  }

  @Test("Letters that post letters leave a loop its cancellation")
  func endless() async throws {
    let application = Application()
    let heard = Heard()
    let task = loop(application, heard)
    Self.postEndlessly(application)
    for _ in 0..<20 { await Task.yield() }
    task.cancel()
    await task.value
    #expect(heard.lines == ["missing"])
  }

  /// A chain of letters in which each posts the next. The chain ends when another task on the main
  /// actor has run, or after a thousand letters.
  @MainActor
  private final class Relay {
    let application = Application()
    let delivery: Delivery<Theme>
    var letters = 0
    var haveOthersRun = false

    init() { delivery = application.expect(Theme.self) }

    func post() {
      application.mailbox.post { _ in MainActor.assumeIsolated { self.passOn() } }
    }

    private func passOn() {
      letters += 1
      if haveOthersRun || letters == 1000 { delivery.deliver(Theme("dark")) } else { post() }
    }
  }

  @Test("Letters that post letters let others of their isolation run", arguments: [true, false])
  func fair(_ waits: Bool) async throws {
    let relay = Relay()
    relay.post()
    // This task begins when the code below first suspends on the main actor.
    let other = Task { relay.haveOthersRun = true }
    if waits {
      _ = try await relay.application.context(whenReady: Theme.self)
    } else {
      for await theme in relay.application.updates(of: Theme.self) {
        if theme.value != nil { break }
      }
    }
    #expect(relay.letters <= 3)
    await other.value
  }

  private nonisolated static func postEndlessly(_ application: Application) {
    application.mailbox.post { postEndlessly($0) }
  }

  @Test("A waiter that applies the letters itself is not told to run the application")
  func overdue() async throws {
    let tree = try SmallTree()
    _ = tree.application.expect(Theme.self)
    let error = await #expect(throws: ContextError.self) {
      try await tree.page.context(whenReady: Theme.self, within: .milliseconds(1))
    }
    #expect(
      error?.description == """
        The deadline passed while waiting.
        Theme for Page "page" in Screen "left" in Application: pending at Application
          asked Page "page": no slot
          then  Screen "left": no slot
          then  Application: pending
        """)
    let advice = "Call application.run() in the program's main task, or drain() in its loop."
    #expect(tree.page.explain(Theme.self).advice == [advice])
    let heard = Heard()
    let task = loop(tree.leaf, heard)
    try await until { heard.lines == ["pending"] }
    for _ in 0..<5 { await Task.yield() }
    #expect(tree.page.explain(Theme.self).advice == [], "a loop waits, and applies what arrives")
    task.cancel()
    await task.value
    #expect(tree.page.explain(Theme.self).advice == [advice])
  }
}
