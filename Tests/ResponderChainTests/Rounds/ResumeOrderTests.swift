import Dispatch
import LineageTestSupport
import ResponderChain
import Testing

/// Tests of law 7 on an executor that runs its jobs one after the other, in the order of their
/// arrival.
@Suite("Law 7: waiters are resumed in the order of law 3", .hangGuard)
struct ResumeOrderTests {
  /// An executor that runs its jobs first in, first out. They come from actors and from resumed
  /// tasks.
  final class Line: SerialExecutor, TaskExecutor {
    private let queue = DispatchQueue(label: "first in, first out")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async {
        job.runSynchronously(
          isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
      }
    }
  }

  /// An actor with a tree. All its work runs on the executor ``line``.
  actor Stage {
    let line = Line()
    private let tree: SmallTree
    private var begun = 0
    private(set) var resumed: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { line.asUnownedSerialExecutor() }

    init(_ strategy: Strategy) throws { tree = try SmallTree(strategy) }

    /// The responders of the tree, in an order that differs from the order of their hops.
    private var places: [Responder] {
      [tree.leaf, tree.application, tree.uncle, tree.page, tree.right, tree.left]
    }

    /// Suspends two waiters at each responder. Returns the names of the waiters in the order in
    /// which they must be resumed.
    func suspendWaiters() -> [String] {
      for place in places.indices {
        Task(executorPreference: line) { try await self.wait(at: place, "1") }
      }
      for place in places.indices.reversed() {
        Task(executorPreference: line) { try await self.wait(at: place, "2") }
      }
      // By hops, then by registration.
      return [
        "application 1", "application 2", "right 1", "left 1", "left 2", "right 2", "uncle 1",
        "page 1", "page 2", "uncle 2", "leaf 1", "leaf 2",
      ]
    }

    private func wait(at index: Int, _ round: String) async throws {
      let place = places[index]
      begun += 1
      _ = try await place.context(whenReady: Session.self)
      resumed.append("\(place.debugName ?? "application") \(round)")
    }

    var areAllSuspended: Bool { begun == 12 }

    func provide() { tree.application.provide(Session("ann")) }

    func expectAndDeliver() {
      let delivery = tree.application.expect(Session.self)
      delivery.deliver(Session("ann"))
      tree.application.drain()
    }
  }

  @Test(
    "It is that of hops, then of registration", arguments: Strategy.allCases, [true, false])
  func order(_ strategy: Strategy, _ delivers: Bool) async throws {
    let stage = try Stage(strategy)
    let expected = await stage.suspendWaiters()
    while await !stage.areAllSuspended { await Task.yield() }
    if delivers { await stage.expectAndDeliver() } else { await stage.provide() }
    while await stage.resumed.count < expected.count { await Task.yield() }
    #expect(await stage.resumed == expected)
  }
}
