import Lineage

/// A case whose only subject is the library, because there is no code written by hand to compare it
/// with.
@MainActor struct LineageCase {
  let name: String
  let unit: Unit
  /// The upper limit for the median, in the case's unit. It applies only if `Fixtures.hasBars` is
  /// true.
  let bar: Double
  let trial: @MainActor (Fixtures) async throws -> Trial

  func benchmark(_ fixtures: Fixtures, _ effort: Effort) -> BenchmarkCase {
    BenchmarkCase(
      suite: .store, name: name, parameters: [Parameter("rows", fixtures.rows)], unit: unit,
      effort: effort, baseline: LineageStore.name,
      subjects: [Subject(name: LineageStore.name) { try await trial(fixtures) }],
      bars: fixtures.hasBars ? [.median(of: LineageStore.name, atMost: bar)] : [])
  }

  static let all = [identityHit, childCopy, childSave, observe, memory]
}

extension LineageCase {
  /// The `identity hit` case: objects that are in the context already are looked up by id, in
  /// random order.
  static let identityHit = LineageCase(
    name: "identity hit", unit: .nanoseconds, bar: 200
  ) { fixtures in
    let store = try await LineageStore.open(try await fixtures.filledPlace(for: LineageStore.self))
    let found = try store.all()
    let ids = fixtures.roster.shuffledPlaces.map { found.objects[$0].id }
    return Trial(
      operations: ids.count,
      answer: { try ids.map { try found.context.object(with: $0) }.answer },
      sample: {
        try Stopwatch.nanoseconds($0) {
          for id in ids { lastPlayer = try found.context.object(with: id) }
        }
      })
  }

  /// The `child copy` case: objects of the parent context are copied, by id, into a new child
  /// context.
  static let childCopy = LineageCase(name: "child copy", unit: .nanoseconds, bar: 500) { fixtures in
    let store = try await LineageStore.open(try await fixtures.filledPlace(for: LineageStore.self))
    let found = try store.all()
    return Trial(
      operations: found.objects.count,
      answer: { try found.inChild().answer },
      sample: { try Stopwatch.nanoseconds($0) { try found.inChild() } })
  }

  /// The `observe` case: one of 10,000 observed objects is edited, and its observer is called. The time
  /// of the same edit without observers is subtracted.
  static let observe = LineageCase(name: "observe", unit: .nanoseconds, bar: 1_000) { fixtures in
    @MainActor func players() throws -> LineagePlayers {
      let context = try MemoryStore([Player.self]).makeContext()
      let players = fixtures.roster.players.prefix(10_000)
      let objects = try context.group { try players.map { try context.insert($0) } }
      return LineagePlayers(context: context, objects: objects)
    }
    let (observed, alone) = (try players(), try players())
    var calls = 0
    let tokens = observed.objects.map { $0.observe { _, _ in calls += 1 } }
    @MainActor func edit(_ players: LineagePlayers) {
      for player in players.objects { player.score += 1 }
    }
    return Trial(
      operations: observed.objects.count,
      answer: {
        withExtendedLifetime(tokens) {
          calls = 0
          edit(observed)
          edit(alone)
          return ["calls": calls - observed.objects.count]
        }
      },
      sample: { iterations in
        let loud = Stopwatch.nanoseconds(iterations) { edit(observed) }
        return max(loud - Stopwatch.nanoseconds(iterations) { edit(alone) }, 1)
      })
  }

  /// The `child save` case: a child saves its changed objects, and the changes become changes of
  /// the parent. After each save, the parent discards the changes.
  static let childSave = LineageCase(name: "child save", unit: .nanoseconds, bar: 500) { fixtures in
    let store = try await LineageStore.open(try await fixtures.filledPlace(for: LineageStore.self))
    let found = try store.all()
    let places = fixtures.roster.places(fixtures.rows / 10)
    return Trial(
      operations: places.count,
      answer: {
        let child = try found.changedInChild(at: places)
        try child.context.save()
        defer { found.context.discard() }
        return found.answer
      },
      sample: { iterations in
        var total = 0.0
        for _ in 0..<iterations {
          let child = try found.changedInChild(at: places)
          total += try Stopwatch.nanoseconds(1) { try child.context.save() }
          found.context.discard()
        }
        return total
      })
  }
}

extension LineagePlayers {
  fileprivate func inChild() throws -> LineagePlayers {
    let child = context.makeChild()
    return LineagePlayers(
      context: child, objects: try objects.map { try child.object(with: $0.id) })
  }

  fileprivate func changedInChild(at places: [Int]) throws -> LineagePlayers {
    let child = context.makeChild()
    let changed = try places.map { try child.object(with: objects[$0].id) }
    for player in changed { player.score += 1 }
    return LineagePlayers(context: child, objects: changed)
  }
}

/// The last object that `identity hit` has looked up. It is stored so that the compiler cannot omit
/// counting its reference. Only the main actor writes it, because all cases are measured there.
private nonisolated(unsafe) var lastPlayer: Object<Player>?
