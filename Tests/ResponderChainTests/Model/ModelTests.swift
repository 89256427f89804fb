import LineageTestSupport
import ResponderChain
import Testing

/// Tests that run random programs on the library and on the oracle, and compare their logs.
///
/// A failure prints a seed and a short program. If the environment variable `LINEAGE_SEED` is set,
/// only the program of this seed runs.
@Suite("Law 1: all strategies give the same answers, states, notifications and children")
struct ModelTests {
  static let programs = rounds(460)
  static let steps = 220

  @Test("The library answers and notifies as the oracle does", arguments: Strategy.allCases)
  func agreement(_ strategy: Strategy) async throws {
    let makeModel = { (program: Program) in Subject(program, strategy: strategy) as any Model }
    try await checkPrograms(
      of: SplitMix64.seeds(Self.programs), "\(strategy)",
      first: { seed in
        let (program, expected) = Generator.program(seed: seed, steps: Self.steps)
        return Disagreement.counterexample(in: program, expected: expected, makeModel)
      },
      check: { Disagreement.counterexample(in: $0, makeModel) })
  }

  @Test("Programs have steps of each kind")
  func kinds() {
    let drawn = (1...20).flatMap { Generator.program(seed: $0, steps: Self.steps).program.steps }
    let missing = Set(Operation.Kind.allCases).subtracting(drawn.flatMap(\.kinds))
    #expect(missing == [])
  }

  @Test("Nothing that a program made is left when it is over", arguments: Strategy.allCases)
  func nothingIsLeft(_ strategy: Strategy) async throws {
    try await checkPrograms(
      of: SplitMix64.seeds(Self.programs).prefix(100), "\(strategy)",
      making: { Generator.program(seed: $0, steps: Self.steps).program },
      check: { program in
        Self.leak(in: program, strategy).map { Counterexample(program, complaint: "\($0)") }
      })
  }

  @Test("What once failed", arguments: Regression.all, Strategy.allCases)
  func regression(_ once: Regression, _ strategy: Strategy) {
    let failure = Disagreement.first(in: once.program) { Subject($0, strategy: strategy) }
    if let failure { Issue.record("\(once.program)\n\(failure)") }
    let leak = Self.leak(in: once.program, strategy)
    if let leak { Issue.record("\(once.program)\n\(leak)") }
  }

  @Test("Planted faults are found and shrunk to ten steps", arguments: Sabotage.allCases)
  func sabotage(_ fault: Sabotage) async throws {
    let makeModel = { (program: Program) in Sabotaged(Oracle(program), fault) as any Model }
    let check = { Disagreement.counterexample(in: $0, makeModel) }
    let found = (1...50).lazy.compactMap {
      check(Generator.program(seed: $0, steps: Self.steps).program)
    }.first
    let short = try await Shrinker.shrink(try #require(found, "nobody noticed \(fault)"), check)
    #expect(short.program.steps.count <= 10, "\(short.program)\n\(short.complaint)")
  }

  /// Runs a program and releases all its objects. Returns a disagreement if some contexts or
  /// responders remain alive.
  private static func leak(in program: Program, _ strategy: Strategy) -> Disagreement? {
    func run() -> (Ledger, [Subject.Weak]) {
      let subject = Subject(program, strategy: strategy)
      for step in program.steps { _ = subject.perform(step) }
      return (subject.ledger, subject.nodes)
    }
    let (ledger, nodes) = run()
    let count = ledger.liveObjects + nodes.count { $0.responder != nil }
    let left = Event.state("\(count) contexts and responders are left")
    let end = program.steps.count
    return count == 0 ? nil : Disagreement(step: end, expected: [], actual: [left])
  }
}
