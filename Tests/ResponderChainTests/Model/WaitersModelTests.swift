import LineageTestSupport
import ResponderChain
import Testing

/// Tests with random programs in which tasks wait for contexts. The programs of ``ModelTests``
/// cannot do this, because they never suspend.
@Suite("Random programs of waiters", .hangGuard)
@MainActor
struct WaitersModelTests {
  static let programs = 100
  static let steps = 80

  /// A task that waits at a responder, and its state.
  final class Wait {
    let place: Controller
    let isForNotebook: Bool
    var isStarted = false
    var hasFound = false
    var isCancelled = false
    var task: Task<Void, Never>?

    init(at place: Controller, isForNotebook: Bool) {
      (self.place, self.isForNotebook) = (place, isForNotebook)
    }

    @MainActor var mayGoOn: Bool {
      isForNotebook ? place.context(Notebook.self) != nil : place.context(Theme.self) != nil
    }
  }

  /// A tree of twelve controllers. Steps move and detach them.
  @MainActor
  final class World {
    let application: Application
    let places: [Controller]
    /// The log of the steps, one line each.
    private(set) var lines: [String] = []
    private var random: SplitMix64
    /// The closures that deliver values to pending slots.
    var deliveries: [() -> Void] = []
    var waits: [Wait] = []
    var tokens: [ContextObservation] = []

    init(_ strategy: Strategy, seed: UInt64) throws {
      application = Application(strategy: strategy)
      random = SplitMix64(seed: seed)
      places = (0..<12).map { _ in Controller() }
      for (number, place) in places.enumerated() {
        place.debugName = "\(number)"
        let parent = random.pick(Array(all.prefix(number + 1)))
        try parent.append(place)
      }
    }

    var all: [Responder] { [application] + places }

    /// Runs the step that is drawn from the seed.
    func step(_ seed: UInt64) throws {
      random = SplitMix64(seed: seed)
      let place = random.pick(all)
      switch random.below(20) {
      case 0..<6: wait(at: random.pick(places), isForNotebook: random.chance(60))
      case 6:
        log("provide a theme", place)
        place.provide(Theme("\(random.below(9))"))
      case 7:
        log("expect a theme", place)
        let delivery = place.expect(Theme.self)
        deliveries.append { delivery.deliver(Theme("delivered")) }
      case 8:
        log("expect a notebook", place)
        let delivery = place.expect(Notebook.self)
        deliveries.append { delivery.deliver(Notebook("delivered")) }
      case 9, 10: deliver()
      case 11:
        log("withdraw the theme", place)
        try place.withdraw(Theme.self)
      case 12:
        log("provide a notebook", place)
        place.provide(Notebook("\(random.below(9))"))
      case 13:
        log("withdraw the notebook", place)
        try place.withdraw(Notebook.self)
      case 14:
        let place = random.pick(places)
        log("branch", place)
        place.branch(Notebook.self)
      case 15:
        let place = random.pick(places)
        log("remove", place)
        place.removeFromParent()
      case 16, 17: move(random.pick(places), below: place)
      case 18: observe(place)
      default: cancelOne()
      }
      application.drain()
    }

    private func log(_ what: String, _ place: Responder) {
      lines.append("\(what) at \(place.debugName ?? "application")")
    }

    private func wait(at place: Controller, isForNotebook: Bool) {
      log(isForNotebook ? "wait for a notebook" : "wait for a theme", place)
      let wait = Wait(at: place, isForNotebook: isForNotebook)
      wait.task = Task {
        wait.isStarted = true
        do {
          if isForNotebook {
            _ = try await place.context(whenReady: Notebook.self)
          } else {
            _ = try await place.context(whenReady: Theme.self)
          }
          wait.hasFound = true
        } catch {
          wait.isCancelled = error is CancellationError
        }
      }
      waits.append(wait)
    }

    private func deliver() {
      guard !deliveries.isEmpty else { return }
      let place = random.below(deliveries.count)
      lines.append("deliver what is expected, number \(place)")
      deliveries.remove(at: place)()
    }

    private func move(_ place: Controller, below parent: Responder) {
      log("move below \(parent.debugName ?? "application")", place)
      // A move that would make a cycle throws and changes nothing.
      try? parent.append(place)
    }

    private func observe(_ place: Responder) {
      log("observe the theme", place)
      if random.chance(50), !tokens.isEmpty { tokens.remove(at: random.below(tokens.count)) }
      tokens.append(place.observe(Theme.self) { _, _ in })
    }

    private func cancelOne() {
      guard
        let wait = waits.filter({ !$0.hasFound && !$0.isCancelled }).randomElement(using: &random)
      else { return }
      log("cancel a wait", wait.place)
      wait.task?.cancel()
    }

    /// Waits until all cancelled tasks, and all tasks whose context is there, have gone on. Returns
    /// a complaint for each task that went on without a context.
    func finishWaits() async throws -> [String] {
      try await until {
        waits.allSatisfy { wait in
          wait.isStarted && (wait.hasFound || wait.isCancelled || !wait.mayGoOn)
            && (wait.task?.isCancelled != true || wait.hasFound || wait.isCancelled)
        }
      }
      defer { waits.removeAll { $0.hasFound || $0.isCancelled } }
      return waits.filter { $0.hasFound && !$0.mayGoOn }.map { "\($0.place.path) found nothing" }
    }

    func end() async throws {
      for wait in waits { wait.task?.cancel() }
      for wait in waits { await wait.task?.value }
    }
  }

  @Test("Who waits goes on when there is something, and not before", arguments: Strategy.allCases)
  func waiting(_ strategy: Strategy) async throws {
    try await checkPrograms(
      of: SplitMix64.seeds(Self.programs), "\(strategy)",
      making: { SeededProgram(seed: $0, count: Self.steps) },
      check: { try await Self.failure(of: $0, strategy) })
  }

  private static func failure(
    of program: SeededProgram, _ strategy: Strategy
  ) async throws -> Counterexample<SeededProgram>? {
    let world = try World(strategy, seed: program.seed)
    for (step, seed) in program.steps.enumerated() {
      var complaints: [String]
      do {
        try world.step(seed)
        // The invariants must also hold before the waiting tasks go on.
        complaints = world.all.flatMap { $0.checkInvariants() }
        complaints += try await world.finishWaits()
      } catch {
        complaints = ["\(error)"]
      }
      complaints += world.all.flatMap { $0.checkInvariants() }
      guard complaints.isEmpty else {
        try await world.end()
        return Counterexample(
          program, failingAt: step, complaint: (world.lines + complaints).joined(separator: "\n"))
      }
    }
    try await world.end()
    return nil
  }
}
