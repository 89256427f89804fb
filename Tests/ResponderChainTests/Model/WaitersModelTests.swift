import LineageTestSupport
import ResponderChain
import Testing

/// Random programs in which tasks wait: the random programs of the model cannot suspend.
@Suite("Random programs of waiters", .hangGuard)
@MainActor
struct WaitersModelTests {
  static let programs: UInt64 = 100
  static let steps = 80

  /// Who waits, and what came of it.
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

  /// A tree of a dozen controllers, some of which are detached.
  @MainActor
  final class World {
    let application: Application
    let places: [Controller]
    var random: SplitMix64
    /// What delivers to a slot that is expected.
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

    func step() throws {
      let place = random.pick(all)
      switch random.below(20) {
      case 0..<6: wait(at: random.pick(places), isForNotebook: random.chance(60))
      case 6: place.provide(Theme("\(random.below(9))"))
      case 7:
        let delivery = place.expect(Theme.self)
        deliveries.append { delivery.deliver(Theme("delivered")) }
      case 8:
        let delivery = place.expect(Notebook.self)
        deliveries.append { delivery.deliver(Notebook("delivered")) }
      case 9, 10:
        if !deliveries.isEmpty { deliveries.remove(at: random.below(deliveries.count))() }
      case 11: try place.withdraw(Theme.self)
      case 12: place.provide(Notebook("\(random.below(9))"))
      case 13: try place.withdraw(Notebook.self)
      case 14: random.pick(places).branch(Notebook.self)
      case 15: random.pick(places).removeFromParent()
      case 16, 17: move(random.pick(places), below: place)
      case 18: observe(place)
      default: cancelOne()
      }
      application.drain()
    }

    private func wait(at place: Controller, isForNotebook: Bool) {
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

    private func move(_ place: Controller, below parent: Responder) {
      // A cycle is refused, and nothing changed.
      try? parent.append(place)
    }

    private func observe(_ place: Responder) {
      if random.chance(50), !tokens.isEmpty { tokens.remove(at: random.below(tokens.count)) }
      tokens.append(place.observe(Theme.self) { _, _ in })
    }

    private func cancelOne() {
      guard
        let wait = waits.filter({ !$0.hasFound && !$0.isCancelled }).randomElement(using: &random)
      else { return }
      wait.task?.cancel()
    }

    /// Waits until those whose context is there have found it; says who found one that is not.
    func settle() async throws -> [String] {
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
    let first = SplitMix64.seed(1)
    for seed in first..<(first + Self.programs) {
      let world = try World(strategy, seed: seed)
      for step in 0..<Self.steps {
        var complaints: [String]
        do {
          try world.step()
          // Also before anybody has gone on.
          complaints = world.all.flatMap { $0.checkInvariants() }
          complaints += try await world.settle()
        } catch {
          complaints = ["\(error)"]
        }
        complaints += world.all.flatMap { $0.checkInvariants() }
        guard complaints.isEmpty else {
          Issue.record("\(strategy), LINEAGE_SEED=\(seed), step \(step): \(complaints)")
          return try await world.end()
        }
      }
      try await world.end()
    }
  }
}
