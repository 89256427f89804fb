/// The `late delivery` case with waiters: tasks are suspended until the token arrives.
@MainActor struct LateDeliveryToWaiters {
  static let nodes = 10_000

  static func cases(seed: UInt64) -> [BenchmarkCase] {
    [(1, Effort.standard), (100, .standard), (10_000, .quick)].map { waiters, effort in
      BenchmarkCase(
        suite: .resolution, name: "late delivery",
        parameters: [Parameter("nodes", nodes), Parameter("waiters", waiters)],
        unit: .microseconds, effort: effort, baseline: "bare continuations",
        subjects: LateDeliveryToWaiters(waiters: waiters, seed: seed).subjects,
        bars: waiters == 10_000
          ? ["skipping", "chain"].flatMap {
            [
              .ratio(of: $0, to: "bare continuations", atMost: 2),
              .ratio(of: $0, to: "hand-written push", atMost: 1.2),
            ]
          } : [])
    }
  }

  let waiters: Int
  let seed: UInt64

  private var subjects: [Subject] {
    [
      Subject(name: "bare continuations") { bareContinuations() },
      Subject(name: "hand-written push") { try trial(HandWrittenPush()) },
    ] + Library.subjects { try trial(ResponderTree($0)) }
  }

  private func trial<Tree: ObservedTree>(_ tree: Tree) throws -> Trial {
    var generator = SeededGenerator(seed: seed)
    let grown = try tree.grow(.balanced(nodes: Self.nodes), below: tree.root)
    let places = grown.drawn(waiters, using: &generator)
    return trial(
      prepare: { try tree.expectAtRoot() }, wait: { try await tree.wait(at: places[$0]) },
      deliver: { tree.deliverAtRoot($0) })
  }

  /// Returns a trial without a tree. It measures only the suspending and resuming of tasks.
  private func bareContinuations() -> Trial {
    let room = WaitingRoom()
    return trial(
      prepare: { room.token = nil },
      wait: { _ in
        await withUnsafeContinuation { room.waiting.append($0) }
        return room.token
      },
      deliver: { room.open(with: $0) })
  }

  private func trial(
    prepare: @escaping @MainActor () throws -> Void,
    wait: @escaping @MainActor (Int) async throws -> Token?,
    deliver: @escaping @MainActor (Token) -> Void
  ) -> Trial {
    let count = waiters
    let resume = { @MainActor () async throws -> (crowd: Crowd, nanoseconds: Double) in
      try prepare()
      let crowd = Crowd(count, wait)
      await crowd.untilAllWait()
      let start = ContinuousClock.now
      deliver(.first)
      await crowd.untilAllResumed()
      return (crowd, Stopwatch.nanoseconds(since: start))
    }
    return Trial(
      answer: { try await resume().crowd.answer },
      sample: { iterations in
        var total = 0.0
        for _ in 0..<iterations { total += try await resume().nanoseconds }
        return total
      })
  }
}

/// An array of continuations, which are resumed together when the token arrives.
@MainActor private final class WaitingRoom {
  var token: Token?
  var waiting: [UnsafeContinuation<Void, Never>] = []

  func open(with token: Token) {
    self.token = token
    let resumed = waiting
    waiting = []
    for continuation in resumed { continuation.resume() }
  }
}
