import LineageTestSupport
import ResponderChain
import Testing

/// Tests of the fault that reports a wait for a context that nobody provides or expects.
@Suite("Waits for what nobody provides", .hangGuard)
@MainActor
struct NotProvidedTests {
  private struct Refused: Error {}

  /// The reports of an application, and a way to wait without an end.
  @MainActor private final class Reports {
    private(set) var faults: [Fault] = []
    private var tasks: [Task<Void, Never>] = []

    init(of application: Application) { application.onFault = { [weak self] in self?.add($0) } }

    private func add(_ fault: Fault) { faults.append(fault) }

    /// Starts a wait, and returns when the wait's task has gone to sleep.
    func wait<K: ContextKey>(for key: K.Type, at responder: Responder) async throws {
      var isStarted = false
      tasks.append(
        Task {
          isStarted = true
          _ = try? await responder.context(whenReady: key)
        })
      try await until { isStarted }
      for _ in 0..<20 { await Task.yield() }
    }

    deinit { for task in tasks { task.cancel() } }
  }

  @Test("It is reported once for each key and tree", arguments: Strategy.allCases)
  func once(_ strategy: Strategy) async throws {
    let (tree, other) = (try SmallTree(strategy), try SmallTree(strategy))
    let (reports, others) = (Reports(of: tree.application), Reports(of: other.application))
    try await reports.wait(for: Theme.self, at: tree.leaf)
    let fault = try #require(reports.faults.first)
    #expect(fault.responder === tree.leaf && fault.key == Theme.self)
    #expect(
      fault.description
        == "A task waits for Theme at \(tree.leaf.path), but no responder from there to the "
        + "application provides or expects it. The task waits until one does.")
    guard case .notProvided = fault.reason else {
      Issue.record("the reason is \(fault.reason)")
      return
    }
    try await reports.wait(for: Theme.self, at: tree.leaf)
    try await reports.wait(for: Theme.self, at: tree.left)
    #expect(reports.faults.count == 1)
    try await reports.wait(for: Session.self, at: tree.leaf)
    #expect(reports.faults.count == 2)
    try await others.wait(for: Theme.self, at: other.leaf)
    #expect(others.faults.count == 1 && reports.faults.count == 2)
  }

  @Test(
    "No wait is reported that a slot answers or will answer",
    arguments: Strategy.allCases, ["value", "expected", "loading", "failed", "blocked"])
  func answered(_ strategy: Strategy, _ state: String) async throws {
    let tree = try SmallTree(strategy)
    let reports = Reports(of: tree.application)
    let delivery = state == "expected" ? tree.left.expect(Theme.self) : nil
    switch state {
    case "value": tree.left.provide(Theme("dark"))
    case "loading":
      tree.left.load(Theme.self) {
        try await Task.sleep(for: .seconds(1000))
        return Theme("late")
      }
    case "failed": tree.left.expect(Theme.self).fail(Refused())
    case "blocked": tree.left.block(Theme.self)
    default: break
    }
    if state == "failed" { tree.application.drain() }
    try await reports.wait(for: Theme.self, at: tree.leaf)
    #expect(reports.faults.isEmpty)
    try tree.left.withdraw(Theme.self)
    withExtendedLifetime(delivery) {}
  }

  @Test("A letter that has arrived is applied first", arguments: Strategy.allCases)
  func letters(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let reports = Reports(of: tree.application)
    tree.application.mailbox.post { $0.provide(Theme("dark")) }
    try await reports.wait(for: Theme.self, at: tree.leaf)
    #expect(reports.faults.isEmpty)
  }

  @Test("A detached wait is reported when it is attached in vain", arguments: Strategy.allCases)
  func detached(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let reports = Reports(of: tree.application)
    tree.left.removeFromParent()
    try await reports.wait(for: Theme.self, at: tree.leaf)
    #expect(reports.faults.isEmpty)
    try tree.application.append(tree.left)
    try await until { reports.faults.count == 1 }
  }

  @Test("The closure may provide the context, which ends the wait", arguments: Strategy.allCases)
  func providing(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    tree.application.onFault = { $0.responder.application?.provide(Theme("dark")) }
    #expect(try await tree.leaf.context(whenReady: Theme.self) == Theme("dark"))
  }

  @Test("Without a closure the report is one line on standard error")
  func standardError() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      @MainActor in
      let application = Application()
      let task = Task { @MainActor in try await application.context(whenReady: Theme.self) }
      for _ in 0..<20 { await Task.yield() }
      task.cancel()
      _ = await task.result
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.split(separator: "\n").filter { $0.contains("A task waits for Theme") }.count == 1)
  }
}
