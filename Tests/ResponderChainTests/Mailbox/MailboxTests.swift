import Foundation
import LineageTestSupport
import ResponderChain
import Synchronization
import Testing

@Suite("The mailbox", .hangGuard)
@MainActor
struct MailboxTests {
  @Test(
    "What is posted from other threads is applied by drain, in order",
    arguments: Strategy.allCases)
  func drain(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let mailbox = tree.application.mailbox
    try await onThread { for number in 0..<3 { mailbox.post { $0.provide(Theme("\(number)")) } } }
    let log = Log()
    let token = log.observe(tree.leaf, Theme.self)
    #expect(mailbox.count == 3)
    #expect(tree.application.drain() == 3)
    #expect(tree.application.drain() == 0)
    #expect(
      log.lines == ["leaf missing", "leaf value 0", "leaf value 1", "leaf value 2"],
      "each letter has a round of its own")
    withExtendedLifetime(token) {}
  }

  @Test("What a letter posts is applied by the next drain")
  func reentrant() throws {
    let application = Application()
    application.mailbox.post { application in
      application.provide(Theme("first"))
      application.mailbox.post { $0.provide(Theme("second")) }
    }
    #expect(application.drain() == 1)
    #expect(application.context(Theme.self) == Theme("first"))
    #expect(application.drain() == 1)
    #expect(application.context(Theme.self) == Theme("second"))
  }

  @Test("The first letter of several wakes a loop of the program's own, on its thread")
  func arrival() async throws {
    var owner: Application? = Application()
    let mailbox = try #require(owner).mailbox
    let here = pthread_self()
    let wakes = Mutex<[Bool]>([])
    mailbox.post { $0.provide(Theme("before")) }
    mailbox.onArrival { wakes.withLock { $0.append(pthread_self() == here) } }
    #expect(wakes.withLock { $0 } == [true], "a letter waits already")
    mailbox.post { $0.provide(Theme("another")) }
    #expect(wakes.withLock { $0.count } == 1)
    #expect(owner?.drain() == 2)
    try await onThread { for _ in 0..<3 { mailbox.post { _ in } } }
    #expect(wakes.withLock { $0 } == [true, false])
    owner?.drain()
    // A letter that a letter posts waits for the next call, of which the loop must hear.
    mailbox.post { _ in mailbox.post { _ in } }
    owner?.drain()
    #expect(wakes.withLock { $0.count } == 4)
    #expect(owner?.drain() == 1)
    mailbox.onArrival(nil)
    mailbox.post { _ in }
    #expect(wakes.withLock { $0.count } == 4)
    var object: Kept? = Kept()
    weak let kept = object
    mailbox.onArrival { [object] in withExtendedLifetime(object) {} }
    object = nil
    #expect(kept != nil)
    owner = nil
    #expect(kept == nil)
  }

  private final class Kept: Sendable {}

  @Test("A loop that sleeps until a letter arrives applies all of them, from several threads")
  func ownLoop() throws {
    let application = Application()
    let mailbox = application.mailbox
    let wakes = DispatchSemaphore(value: 0)
    mailbox.onArrival { wakes.signal() }
    for thread in 0..<4 {
      Thread.detachNewThread {
        for number in 0..<1_000 {
          mailbox.post { $0.provide(Theme("\(thread) \(number)")) }
        }
      }
    }
    var count = 0
    while count < 4_000 {
      wakes.wait()
      count += application.drain()
    }
    #expect(count == 4_000 && mailbox.count == 0)
  }

  @Test("Letters that post letters do not keep drain() from returning")
  func endless() throws {
    let application = Application()
    Self.postEndlessly(application)
    for _ in 0..<3 { #expect(application.drain() == 1 && application.mailbox.count == 1) }
  }

  private nonisolated static func postEndlessly(_ application: Application) {
    application.mailbox.post { postEndlessly($0) }
  }

  @Test("Letters that post letters leave a waiter its isolation, and its cancellation")
  func endlessBesideWaiter() async throws {
    let application = Application()
    let waiter = Task { try await application.context(whenReady: Theme.self) }
    Self.postEndlessly(application)
    for _ in 0..<20 { await Task.yield() }
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
  }

  @Test("What a letter has left to do is done by the same drain, what it posts is not")
  func rests() throws {
    let application = Application()
    let log = Log()
    application.mailbox.post { application in
      application.provide(Theme("3"))
      Self.postRest(2, application)
      application.mailbox.post { $0.provide(Theme("later")) }
    }
    let token = log.observe(application, Theme.self)
    #expect(application.drain() == 4)
    #expect(log.lines == ["app missing"] + (0...3).reversed().map { "app value \($0)" })
    #expect(application.mailbox.count == 1)
    withExtendedLifetime(token) {}
  }

  private nonisolated static func postRest(_ left: Int, _ application: Application) {
    application.mailbox.postRest { application in
      application.provide(Theme("\(left)"))
      if left > 0 { postRest(left - 1, application) }
    }
  }

  @Test(
    "run() applies what arrives until the application terminates",
    arguments: Strategy.allCases)
  func run(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Theme.self)
    let mailbox = tree.application.mailbox
    Task.detached {
      delivery.deliver(Theme("dark"))
      mailbox.post { $0.provide(Session("ann")) }
      mailbox.post { $0.terminate() }
    }
    await tree.application.run()
    #expect(tree.leaf.context(Theme.self) == Theme("dark"))
    #expect(tree.leaf.context(Session.self)?.user == "ann")
    #expect(tree.application.phase == .terminated)
  }

  @Test("run() lets others work on its isolation between a letter and those that it posts")
  func yields() async throws {
    let application = Application()
    let flag = Flag()
    let other = Task {
      for _ in 0..<20 { await Task.yield() }
      flag.isSet.store(true, ordering: .relaxed)
    }
    application.mailbox.post { Self.post(until: flag, $0) }
    await application.run()
    await other.value
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  /// Posts a chain of letters, each of which posts the next one, until the flag is set; then the
  /// application terminates. It has no end if what sets the flag never works.
  private nonisolated static func post(until flag: Flag, _ application: Application) {
    guard !flag.isSet.load(ordering: .relaxed) else { return application.terminate() }
    application.mailbox.post { post(until: flag, $0) }
  }

  @Test("run() ends with its task's cancellation", arguments: Strategy.allCases)
  func cancelled(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    var isStarted = false
    let task = Task {
      isStarted = true
      await tree.application.run()
    }
    try await until { isStarted }
    task.cancel()
    await task.value
    #expect(tree.application.phase == .new)
    tree.application.mailbox.post { $0.provide(Theme("later")) }
    #expect(tree.application.drain() == 1)
  }

  @Test("While run() runs, waiters are served too", arguments: Strategy.allCases)
  func waitersBesideRun(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Theme.self)
    let loop = Task { await tree.application.run() }
    let tasks = tree.all.map { responder in
      Task { try await responder.context(whenReady: Theme.self) }
    }
    for _ in 0..<5 { await Task.yield() }
    Task.detached { delivery.deliver(Theme("dark")) }
    for task in tasks { #expect(try await task.value == Theme("dark")) }
    tree.application.terminate()
    await loop.value
  }

  @Test(
    "A waiter that carried the mail and is cancelled leaves none behind",
    arguments: Strategy.allCases)
  func handOver(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Theme.self)
    var started = 0
    let tasks = [tree.leaf, tree.uncle].map { view in
      Task {
        started += 1
        return try await view.context(whenReady: Theme.self)
      }
    }
    try await until { started == 2 }
    delivery.deliver(Theme("dark"))
    tasks[0].cancel()
    _ = await tasks[0].result
    #expect(try await tasks[1].value == Theme("dark"))
  }

  @Test(
    "Who stays is served after hundreds came and went", arguments: Strategy.allCases)
  func comingAndGoing(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Theme.self)
    var begun = 0
    func wait<K: ContextKey>(_ key: K.Type) async throws -> Task<K.Value, any Error>
    where K.Value: Sendable {
      let before = begun
      let task = Task {
        begun += 1
        return try await tree.leaf.context(whenReady: key)
      }
      try await until { begun > before }
      return task
    }
    var staying: [Task<Theme, any Error>] = []
    for number in 0..<200 {
      if number.isMultiple(of: 40) { staying.append(try await wait(Theme.self)) }
      let leaving = try await wait(Session.self)
      leaving.cancel()
      await #expect(throws: CancellationError.self) { try await leaving.value }
    }
    try await onThread { delivery.deliver(Theme("dark")) }
    for task in staying { #expect(try await task.value == Theme("dark")) }
  }

  @Test(
    "A delivery whose responder is gone is no use, and does nothing",
    arguments: Strategy.allCases)
  func ownerGone(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    var screen: Screen? = Screen("gone")
    try tree.application.append(#require(screen))
    let delivery = try #require(screen).expect(Theme.self)
    screen?.removeFromParent()
    screen = nil
    #expect(!delivery.deliver(Theme("late")))
    tree.application.drain()
    #expect(tree.leaf.context(Theme.self) == nil)
  }

  @Test(
    "An outcome that arrived while its slot was detached comes with it",
    arguments: Strategy.allCases)
  func movedPromise(_ strategy: Strategy) throws {
    let first = try SmallTree(strategy)
    let second = try SmallTree(strategy)
    let delivery = first.left.expect(Theme.self)
    first.left.removeFromParent()
    delivery.deliver(Theme("dark"))
    #expect(first.application.drain() == 0 || first.left.context(Theme.self) == nil)
    try second.application.append(first.left)
    second.application.drain()
    #expect(first.leaf.context(Theme.self) == Theme("dark"))

    let other = second.right.expect(Theme.self)
    other.deliver(Theme("light"))
    try second.right.move(to: first.application)
    first.application.drain()
    #expect(second.uncle.context(Theme.self) == Theme("light"))
  }

  @Test(
    "In a detached tree a delivery is applied by whoever waits, by no plain read",
    arguments: Strategy.allCases)
  func detachedDelivery(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    tree.left.removeFromParent()
    let log = Log()
    let token = log.observe(tree.leaf, Theme.self)
    tree.left.expect(Theme.self).deliver(Theme("dark"))
    #expect(tree.leaf.resolve(Theme.self).description == "pending")
    #expect(log.take() == ["leaf missing", "leaf pending"], "a read calls nobody")
    #expect(
      tree.page.explain(Theme.self).description == """
        Theme for Page "page" in Screen "left": pending at Screen "left"
          asked Page "page": no slot
          then  Screen "left": pending
        note: Screen "left" was detached from Application.
        note: The value or failure has arrived, but Screen "left" is in no application that would apply \
        it.
        help: Attach the tree to an application, or await context(whenReady:).
        """)
    #expect(try await tree.page.context(whenReady: Theme.self) == Theme("dark"))
    #expect(log.take() == ["leaf value dark"])
    #expect(tree.leaf.resolve(Theme.self).description == "value \(Theme("dark"))")
    withExtendedLifetime(token) {}
  }

  @Test("What nobody applies is released with the application, though it holds the mailbox")
  func released() throws {
    let census = Census()
    weak var forgotten: Mailbox?
    do {
      let application = Application()
      let mailbox = application.mailbox
      let citizen = Citizen(of: census)
      mailbox.post { _ in withExtendedLifetime((citizen, mailbox)) {} }
      application.expect(Theme.self).deliver(Theme("dark"))
      forgotten = mailbox
      #expect(mailbox.count == 2 && census.population == 1)
    }
    #expect(census.population == 0 && forgotten == nil)
    let mailbox = Application().mailbox
    mailbox.post { _ in withExtendedLifetime(mailbox) {} }
    #expect(mailbox.count == 0, "it is posted to nobody")
  }

  @Test("A context under a protocol's key joins the mailbox, too", arguments: Strategy.allCases)
  func existential(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let context = Joining()
    tree.application.provide(context, for: JoiningKey.self)
    #expect(context.log == ["joined"])
  }

  @Test(
    "Whether a value wants the mailbox is decided by its own class", arguments: Strategy.allCases)
  func mixedClasses(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let (first, second) = (JoiningService(), JoiningService())
    for service in [Service(), first, second, Service(), Service(), first, Service()] {
      tree.application.provide(service, for: ServiceKey.self)
      #expect(tree.leaf.context(ServiceKey.self) === service)
    }
    #expect(first.log == ["joined", "left", "joined", "left"])
    #expect(second.log == ["joined", "left"])
  }

  @Test("A context that joins is what is read then", arguments: Strategy.allCases)
  func readingInDidJoin(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let old = Joining(), new = Joining()
    tree.application.provide(old)
    var seen: [Joining?] = []
    new.onJoin = { seen.append(tree.leaf.context(Joining.self)) }
    defer { new.onJoin = {} }
    tree.application.provide(new)
    #expect(seen.map { $0 === new } == [true])
  }
}

private final class Joining: Context, AnyJoining {
  private(set) var log: [String] = []
  var onJoin: () -> Void = {}

  func didJoin(_ mailbox: Mailbox) {
    log.append("joined")
    onJoin()
  }

  func didLeave(_ mailbox: Mailbox) { log.append("left") }
}

private class Service {}
private enum ServiceKey: ContextKey { typealias Value = Service }

private final class JoiningService: Service, MailboxContext {
  private(set) var log: [String] = []

  func didJoin(_ mailbox: Mailbox) { log.append("joined") }
  func didLeave(_ mailbox: Mailbox) { log.append("left") }
}

private protocol AnyJoining: MailboxContext {}
private enum JoiningKey: ContextKey { typealias Value = any AnyJoining }
