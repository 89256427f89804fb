import Foundation
import ResponderChain
import Synchronization
import TestSupport
import Testing

/// Something that was found out, kept by reference.
private final class Flag<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}

private func shortly(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<400 {
    if condition() { return true }
    await Task.yield()
    try? await Task.sleep(for: .milliseconds(1))
  }
  return condition()
}

/// A context that knows when it ends.
private final class Ending: BranchingContext {
  let parent: Ending?
  var hasUnsavedChanges = false
  var childCount = 0
  var onEnd: (() -> Void)?
  init(parent: Ending? = nil) { self.parent = parent }
  func makeChild() -> Ending {
    childCount += 1
    return Ending(parent: self)
  }
  deinit { onEnd?() }
}

private final class Joining: Context, MailboxContext {
  var log: [Bool] = []
  var onJoin: ((Mailbox?) -> Void)?
  func didJoin(_ mailbox: Mailbox) {
    log.append(true)
    onJoin?(mailbox)
  }
  func didLeave(_ mailbox: Mailbox) {
    log.append(false)
    onJoin?(nil)
  }
}

private enum JoiningElsewhere: ContextKey { typealias Value = Joining }
private protocol AnyJoining: MailboxContext {}
extension Joining: AnyJoining {}
private enum JoiningProtocol: ContextKey { typealias Value = any AnyJoining }
private enum MaybeNumber: ContextKey { typealias Value = Int? }
private enum Plain: ContextKey { typealias Value = Int }
private struct Save {}
private final class Generic<Element>: Controller {}

private struct Note: Context, Equatable { let text: String }

@Suite("What was once wrong with trees", .hangGuard)
@MainActor
struct OnceWrongTests {
  @Test("Help below the one who asked", arguments: Strategy.allCases)
  func helpBelow(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.leaf.provide(Theme("dark"))
    let advice = tree.left.explain(Theme.self).advice.joined()
    #expect(!advice.contains("attach it below Page \"leaf\""), "\(advice)")
    #expect(throws: TreeError.self) { try tree.leaf.append(tree.left) }
  }

  @Test("A block is no provider", arguments: Strategy.allCases)
  func blockIsNoProvider(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.right.block(Theme.self)
    let explanation = tree.left.explain(Theme.self)
    #expect(!explanation.description.contains("has it"), "\(explanation)")
    #expect(!explanation.advice.joined().contains("attach it below"), "\(explanation)")
  }

  @Test("Hops that are left out have no slot", arguments: Strategy.allCases)
  func hops(_ strategy: Strategy) throws {
    let application = Application(strategy: strategy)
    var bottom: Responder = application
    for number in 0..<20 {
      let next = Page("\(number)")
      try bottom.append(next)
      bottom = next
    }
    (Array(bottom.chain)[9]).branch(Notebook.self)
    let text = bottom.explain(Notebook.self).description
    #expect(text.contains("branch, follow") || !text.contains("without a slot"), "\(text)")
  }

  @Test("What departed may be attached to another application", arguments: Strategy.allCases)
  func departedElsewhere(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let other = Application(strategy: strategy)
    other.name = "other"
    tree.right.provide(Theme("dark"))
    tree.right.removeFromParent()
    try other.append(tree.right)
    let misses = tree.leaf.explain(Theme.self).nearMisses
    #expect(!misses.contains { $0.place == "in a detached tree" }, "\(misses)")
  }

  @Test("A responder that takes its handler off in its deinit, dying in a callback")
  func deinitInRound() async {
    await #expect(processExitsWith: .success) {
      final class Tidy: Controller {
        var token: ContextObservation?
        deinit { off(Save.self) }
      }
      let application = Application()
      var tidy: Tidy? = Tidy()
      tidy!.on(Save.self) { _, _ in }
      tidy!.token = tidy!.observe(Note.self) { _, _ in }
      final class Box { var tidy: Tidy? }
      let box = Box()
      box.tidy = tidy
      tidy = nil
      let token = application.observe(Note.self) { _, note in
        if case .value = note { box.tidy = nil }
      }
      application.provide(Note(text: "x"))
      withExtendedLifetime(token) {}
    }
  }

  @Test("Drawings with odd names")
  func drawings() throws {
    let application = Application()
    let odd = Generic<Int>()
    odd.name = "two\nlines #35; \\ ] -->"
    try application.append(odd)
    application.on(Save.self) { _, _ in }
    #expect(application.mermaid().split(separator: "\n").count == 4)
    #expect(application.dump().split(separator: "\n").count == 2)
    #expect(!application.mermaid().contains("<Int>"))
    #expect(!application.mermaid().contains("<Save>"))
  }

  @Test("OnDetach that puts the child elsewhere", arguments: Strategy.allCases)
  func hookMovesElsewhere(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let child = Screen("child")
    try tree.left.append(child)
    let log = Log()
    let token = log.observe(child, Theme.self)
    child.onDetach = { [right = tree.right] me in
      me.onDetach = nil
      try? right.append(me)
    }
    try tree.application.append(child)
    #expect(child.nextResponder === tree.application)
    #expect(!tree.right.children.contains { $0 === child }, "owned twice")
    #expect(tree.application.descendants.filter { $0 === child }.count == 1)
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
    _ = log.take()
    tree.right.provide(Theme("wrong"))
    #expect(log.take() == [])
    withExtendedLifetime(token) {}
  }

  @Test("OnDetach of the old root view that sets a third", arguments: Strategy.allCases)
  func rootViewHook(_ strategy: Strategy) throws {
    let screen = Screen("screen")
    let old = Page("old"), second = Page("second"), third = Page("third")
    screen.rootView = old
    old.onDetach = { [weak screen] me in
      me.onDetach = nil
      screen?.rootView = third
    }
    screen.rootView = second
    #expect(screen.rootView === second)
    #expect(screen.children.isEmpty, "\(screen.dump())")
    #expect(third.nextResponder == nil)
  }

  @Test("A detached waiter below a branch", arguments: Strategy.allCases)
  func detachedBranchWaiter(_ strategy: Strategy) async throws {
    let top = Controller(), leaf = Controller()
    try top.append(leaf)
    leaf.branch(Notebook.self)
    let delivery = top.expect(Notebook.self)
    let result = Flag("hangs")
    let task = Task {
      do {
        result.value = try await leaf.context(whenReady: Notebook.self).name
      } catch { result.value = "\(error)" }
    }
    for _ in 0..<20 { await Task.yield() }
    delivery.deliver(Notebook("root"))
    _ = await shortly { result.value != "hangs" }
    #expect(result.value == "root/1")
    task.cancel()
  }

  @Test("The same without the branch (control)")
  func detachedWaiter() async throws {
    let top = Controller(), leaf = Controller()
    try top.append(leaf)
    let delivery = top.expect(Notebook.self)
    let result = Flag("hangs")
    let task = Task {
      result.value = try await leaf.context(whenReady: Notebook.self).name
    }
    for _ in 0..<20 { await Task.yield() }
    delivery.deliver(Notebook("root"))
    _ = await shortly { result.value != "hangs" }
    #expect(result.value == "root")
    task.cancel()
  }

  @Test("A waiter behind a fault", arguments: Strategy.allCases)
  func waiterBehindFault(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    var faults = 0
    tree.application.onFault = { _ in faults += 1 }
    let result = Flag("hangs")
    let task = Task { [leaf = tree.leaf] in
      result.value = try await leaf.context(whenReady: Theme.self).ink
    }
    for _ in 0..<20 { await Task.yield() }
    var count = 0
    let token = tree.left.observe(Theme.self) { me, theme in
      guard theme.value != nil else { return }
      count += 1
      me.application?.provide(Theme("\(count)"))
    }
    tree.application.provide(Theme("start"))
    #expect(faults == 1)
    #expect(tree.leaf.context(Theme.self) != nil)
    _ = await shortly { result.value != "hangs" }
    #expect(result.value != "hangs", "the value is there")
    task.cancel()
    withExtendedLifetime(token) {}
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

  @Test("Drift is reported where the branch arrives", arguments: Strategy.allCases)
  func driftAfterDetachment(_ strategy: Strategy) throws {
    let first = Application(strategy: strategy), second = Application(strategy: strategy)
    let screen = Screen("screen")
    first.provide(Notebook("one"))
    second.provide(Notebook("two"))
    try first.append(screen)
    screen.branch(Notebook.self, .keep)
    _ = try screen.require(Notebook.self)
    var drifts: [String] = []
    first.onDrift = { drifts.append("first \($0.context)") }
    second.onDrift = { drifts.append("second \($0.context)") }
    screen.removeFromParent()
    try second.append(screen)
    #expect(screen.context(Notebook.self)?.name == "one/1")
    #expect(drifts == ["second one/1"])
  }

  @Test("The same in one move (control)", arguments: Strategy.allCases)
  func driftAfterMove(_ strategy: Strategy) throws {
    let first = Application(strategy: strategy), second = Application(strategy: strategy)
    let screen = Screen("screen")
    first.provide(Notebook("one"))
    second.provide(Notebook("two"))
    try first.append(screen)
    screen.branch(Notebook.self, .keep)
    _ = try screen.require(Notebook.self)
    var drifts: [String] = []
    second.onDrift = { drifts.append("second \($0.context)") }
    try second.append(screen)
    #expect(drifts == ["second one/1"])
  }

  @Test("Nested branches follow at the next read", arguments: Strategy.allCases)
  func nestedFollow(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("one"))
    tree.left.branch(Notebook.self)
    tree.leaf.branch(Notebook.self)
    let outer = try tree.left.require(Notebook.self)
    let inner = try tree.leaf.require(Notebook.self)
    #expect(inner.parent === outer)
    outer.hasUnsavedChanges = true
    tree.application.provide(Notebook("two"))
    #expect(tree.left.context(Notebook.self) === outer)
    #expect(tree.leaf.context(Notebook.self) === inner)
    outer.hasUnsavedChanges = false
    #expect(tree.left.context(Notebook.self)?.name == "two/1", "follows at the next read")
    #expect(tree.leaf.resolve(Notebook.self, from: .next).value?.name == "two/1")
    #expect(
      tree.leaf.context(Notebook.self)?.parent === tree.left.context(Notebook.self),
      "leaf has \(tree.leaf.context(Notebook.self)?.name ?? "nothing")")
    #expect(tree.leaf.context(Notebook.self)?.name == "two/1/1")
  }

  @Test("Nested: inner read first", arguments: Strategy.allCases)
  func nestedFollowInnerFirst(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("one"))
    tree.left.branch(Notebook.self)
    tree.leaf.branch(Notebook.self)
    let outer = try tree.left.require(Notebook.self)
    _ = try tree.leaf.require(Notebook.self)
    outer.hasUnsavedChanges = true
    tree.application.provide(Notebook("two"))
    outer.hasUnsavedChanges = false
    #expect(tree.leaf.context(Notebook.self)?.name == "two/1/1")
  }

  @Test("MakeChild replaces what is inherited, and somebody waits", arguments: Strategy.allCases)
  func makeChildWithWaiter(_ strategy: Strategy) async {
    let raw = strategy.rawValue
    await #expect(processExitsWith: .success) { @MainActor [raw = raw as String] in
      let (tree, root) = try MakingChildrenTestsCopy.branched(Strategy(rawValue: raw)!)
      let delivery = tree.application.expect(MakingChildrenTestsCopy.Busy.self)
      let task = Task { [leaf = tree.leaf] in
        _ = try await leaf.context(whenReady: MakingChildrenTestsCopy.Busy.self)
      }
      for _ in 0..<20 { await Task.yield() }
      root.whileMaking = { tree.application.provide(MakingChildrenTestsCopy.Busy()) }
      _ = delivery
      tree.application.provide(root)
      try await task.value
    }
  }

  @Test(
    "MakeChild replaces what is inherited, read below an observer", arguments: Strategy.allCases)
  func makeChildWithObserver(_ strategy: Strategy) async {
    let raw = strategy.rawValue
    await #expect(processExitsWith: .success) { @MainActor [raw = raw as String] in
      let (tree, root) = try MakingChildrenTestsCopy.branched(Strategy(rawValue: raw)!)
      let token = tree.leaf.observe(MakingChildrenTestsCopy.Busy.self) { _, _ in }
      let child = try tree.leaf.require(MakingChildrenTestsCopy.Busy.self)
      child.hasUnsavedChanges = true
      let second = MakingChildrenTestsCopy.Busy()
      tree.application.provide(second)
      child.hasUnsavedChanges = false
      second.whileMaking = { tree.application.provide(MakingChildrenTestsCopy.Busy()) }
      _ = tree.leaf.context(MakingChildrenTestsCopy.Busy.self)
      withExtendedLifetime((token, root)) {}
    }
  }

  @Test("A dropped child whose end reads the branch", arguments: Strategy.allCases)
  func readingInContextEnd(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Ending())
    tree.left.branch(Ending.self)
    do {
      let child = try tree.leaf.require(Ending.self)
      child.hasUnsavedChanges = true
      child.onEnd = { [weak leaf = tree.leaf] in _ = leaf?.context(Ending.self) }
    }
    let second = Ending()
    tree.application.provide(second)
    tree.left.context(Ending.self)?.hasUnsavedChanges = false
    _ = tree.leaf.context(Ending.self)
    #expect(second.childCount == 1)
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
    try tree.left.withdraw(Ending.self)
    // A branch listener that was lost refers to the slot, which is gone.
    tree.application.provide(Ending())
    tree.application.provide(Ending())
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
  }

  @Test(
    "The old context is released though an ended observer heard it", arguments: Strategy.allCases)
  func endedObserverKeeps(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let census = Census()
    let log = Log()
    let token = log.observe(tree.leaf, Notebook.self)
    tree.application.provide(Notebook("a", in: census))
    token.end()
    _ = tree.application.expect(Notebook.self)
    #expect(census.population == 0)
  }

  @Test("Updates end with the responder though a child outlives it", arguments: Strategy.allCases)
  func updatesEnd(_ strategy: Strategy) async throws {
    let application = Application(strategy: strategy)
    var parent: Screen? = Screen("parent")
    let child = Screen("child")
    try parent?.append(child)
    try application.append(parent!)
    let ended = Flag(false)
    let updates = parent!.updates(of: Theme.self)
    let task = Task {
      for await _ in updates {}
      ended.value = true
    }
    for _ in 0..<20 { await Task.yield() }
    parent!.removeFromParent()
    weak let gone = parent
    parent = nil
    #expect(gone == nil)
    _ = await shortly { ended.value }
    #expect(ended.value)
    task.cancel()
    withExtendedLifetime(child) {}
  }

  @Test("What an observer captured goes with its responder", arguments: Strategy.allCases)
  func capturedGoes(_ strategy: Strategy) throws {
    let census = Census()
    var parent: Screen? = Screen("parent")
    let child = Screen("child")
    try parent?.append(child)
    let token = parent!.observe(Theme.self) { [citizen = Citizen(of: census)] _, _ in
      withExtendedLifetime(citizen) {}
    }
    parent = nil
    #expect(census.population == 0)
    withExtendedLifetime((token, child)) {}
  }

  @Test("Survivors of a survivor are told", arguments: Strategy.allCases)
  func survivorsOfSurvivors(_ strategy: Strategy) throws {
    let application = Application(strategy: strategy)
    var p: Screen? = Screen("p")
    var c: Screen? = Screen("c")
    let d = Screen("d")
    try application.append(p!)
    try p!.append(c!)
    try c!.append(d)
    c!.provide(Theme("c"))
    let log = Log()
    let token = log.observe(d, Theme.self)
    _ = log.take()
    p!.removeFromParent()
    p = nil
    application.drain()
    #expect(log.take() == [])
    c = nil
    application.drain()
    #expect(d.resolve(Theme.self).description == "missing")
    #expect(log.take() == ["d missing"])
    withExtendedLifetime(token) {}
  }

  @Test("Survivors of a tree that dies inside another's end", arguments: Strategy.allCases)
  func survivorsInside(_ strategy: Strategy) throws {
    final class Holder: Controller { var other: Responder? }
    let application = Application(strategy: strategy)
    let c = Screen("c")
    var top: Controller? = Controller()
    do {
      let p = Screen("p")
      try application.append(p)
      try p.append(c)
      p.provide(Theme("p"))
      p.removeFromParent()
      let holder = Holder()
      holder.other = p
      try top!.append(holder)
    }
    let log = Log()
    let token = log.observe(c, Theme.self)
    #expect(log.take() == ["c value p"])
    top = nil
    application.drain()
    #expect(log.take() == ["c missing"])
    withExtendedLifetime(token) {}
  }

  @Test("An application whose end hands its children on", arguments: Strategy.allCases)
  func heirs(_ strategy: Strategy) throws {
    final class Testator: Application {
      var heir: Application?
      deinit { for child in children { try? heir?.append(child) } }
    }
    let heir = Application(strategy: strategy)
    let screen = Screen("screen")
    var old: Testator? = Testator(strategy: strategy)
    old!.heir = heir
    old!.provide(Theme("old"))
    try old!.append(screen)
    #expect(screen.context(Theme.self) == Theme("old"))
    old = nil
    #expect(screen.nextResponder === heir)
    #expect(screen.resolve(Theme.self).description == "missing")
    #expect([heir, screen].flatMap { $0.checkInvariants() } == [])
  }

  @Test("Terminate while launching stays")
  func terminateWhileLaunching() {
    let application = Application()
    var events: [Application.LifeEvent] = []
    application.onLife = { events.append($1) }
    application.launch { $0.terminate() }
    #expect(application.phase == .terminated)
    #expect(events == [.willFinishLaunching, .willTerminate])
  }

  @Test("Terminate while coming to the foreground stays")
  func terminateWhileEntering() {
    let application = Application()
    application.launch()
    application.enterBackground()
    application.onLife = { if $1 == .willEnterForeground { $0.terminate() } }
    application.enterForeground()
    #expect(application.phase == .terminated)
  }

  @Test("Only the first launch does anything")
  func launchTwice() {
    let application = Application()
    var events: [Application.LifeEvent] = []
    application.onLife = { events.append($1) }
    application.launch { $0.launch() }
    #expect(events == [.willFinishLaunching, .didFinishLaunching])
  }

  @Test("A context under a protocol's key knows its mailbox", arguments: Strategy.allCases)
  func existential(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let context = Joining()
    tree.application.provide(context, for: JoiningProtocol.self)
    #expect(context.log == [true])
  }

  @Test("What didJoin reads", arguments: Strategy.allCases)
  func readingInDidJoin(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let old = Joining(), new = Joining()
    tree.application.provide(old)
    var seen: [String] = []
    func look() { seen.append(tree.leaf.context(Joining.self) === new ? "new" : "old") }
    new.onJoin = { _ in look() }
    defer { new.onJoin = nil }
    tree.application.provide(new)
    #expect(seen == ["new"])
  }

  @Test("A handler that is provided elsewhere")
  func handlerElsewhere() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let tree = try SmallTree()
      tree.left.on(Save.self) { me, _ in print(me.rootView as Any) }
      let handler = try tree.left.require(Handler<Save>.self)
      tree.uncle.provide(handler, for: Handler<Save>.self)
      tree.uncle.send(Save())
    }
  }

  @Test("The block's own responder is told what helps it", arguments: Strategy.allCases)
  func blockAdvice(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.left.block(Theme.self)
    let advice = tree.left.explain(Theme.self).advice
    tree.page.provide(Theme("below"))
    #expect(tree.left.resolve(Theme.self).description == "blocked", "what was advised: \(advice)")
  }

  @Test("Equal optionals are no change", arguments: Strategy.allCases)
  func optionals(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let token = log.observe(tree.leaf, MaybeNumber.self)
    tree.application.provide(nil, for: MaybeNumber.self)
    tree.application.provide(nil, for: MaybeNumber.self)
    tree.application.provide(1, for: MaybeNumber.self)
    tree.application.provide(1, for: MaybeNumber.self)
    #expect(log.take() == ["leaf missing", "leaf value nil", "leaf value Optional(1)"])
    withExtendedLifetime(token) {}
  }

  @Test("Next() runs where the caller runs")
  func updatesIsolation() async throws {
    let tree = try SmallTree()
    let names = Flag<[String]>([])
    let updates = tree.leaf.updates(of: Session.self)
    let task = Task {
      for await session in updates { names.value.append(session.description) }
    }
    for _ in 0..<200 { await Task.yield() }
    #expect(names.value == ["missing"])
    // The main actor is not left: nobody isolated to it can take the first.
    tree.application.provide(Session("one"))
    usleep(300_000)
    tree.application.provide(Session("two"))
    _ = await shortly { names.value.contains("value two") }
    #expect(names.value == ["missing", "value two"])
    task.cancel()
  }

}

/// As in `MakingChildrenTests`, with edits.
enum MakingChildrenTestsCopy {
  final class Busy: BranchingContext {
    let parent: Busy?
    var hasUnsavedChanges = false
    var whileMaking: () -> Void = {}

    init(parent: Busy? = nil) { self.parent = parent }

    func makeChild() -> Busy {
      let work = whileMaking
      whileMaking = {}
      work()
      return Busy(parent: self)
    }
  }

  @MainActor
  static func branched(_ strategy: Strategy) throws -> (SmallTree, Busy) {
    let tree = try SmallTree(strategy)
    let root = Busy()
    tree.left.branch(Busy.self)
    tree.application.provide(root)
    return (tree, root)
  }
}
