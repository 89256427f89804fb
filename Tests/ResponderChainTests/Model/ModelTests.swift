import Foundation
import LineageTestSupport
import ResponderChain
import Testing

/// Random programs, done to the library and to the oracle.
///
/// A failure prints a seed and a short program; `LINEAGE_SEED=…` in the environment runs the
/// program of that seed alone.
@Suite("Law 1: all strategies give the same answers")
struct ModelTests {
  static let programs = rounds(460)
  static let steps = 220

  @Test("The library answers and notifies as the oracle does", arguments: Strategy.allCases)
  func agreement(_ strategy: Strategy) {
    for seed in seeds {
      let (program, expected) = Generator.program(seed: seed, steps: Self.steps)
      let run = { (program: Program) in Subject(program, strategy: strategy) as any Model }
      guard Disagreement.first(in: program, expected: expected, run) != nil else { continue }
      let shrinker = Shrinker { Disagreement.first(in: $0, run) }
      guard let (short, disagreement) = shrinker.shrink(program) else { continue }
      Issue.record("\(strategy), LINEAGE_SEED=\(seed)\n\(short)\n\(disagreement)")
      return
    }
  }

  @Test("Nothing that a program made is left when it is over", arguments: Strategy.allCases)
  func nothingIsLeft(_ strategy: Strategy) {
    let shrinker = Shrinker { Self.leak(in: $0, strategy) }
    for seed in seeds.prefix(100) {
      let program = Generator.program(seed: seed, steps: Self.steps).program
      guard let (short, leak) = shrinker.shrink(program) else { continue }
      Issue.record("\(strategy), LINEAGE_SEED=\(seed)\n\(short)\n\(leak)")
      return
    }
  }

  @Test("What once failed", arguments: Regression.all, Strategy.allCases)
  func regression(_ once: Regression, _ strategy: Strategy) {
    let failure = Disagreement.first(in: once.program) { Subject($0, strategy: strategy) }
    if let failure { Issue.record("\(once.program)\n\(failure)") }
    let leak = Self.leak(in: once.program, strategy)
    if let leak { Issue.record("\(once.program)\n\(leak)") }
  }

  @Test("Planted faults are found and shrunk to ten steps", arguments: Sabotage.allCases)
  func sabotage(_ fault: Sabotage) throws {
    let run = { (program: Program) in Sabotaged(Oracle(program), fault) as any Model }
    let shrinker = Shrinker { Disagreement.first(in: $0, run) }
    let found = (1...50).lazy.compactMap {
      shrinker.shrink(Generator.program(seed: $0, steps: Self.steps).program)
    }.first
    let (short, disagreement) = try #require(found, "nobody noticed \(fault)")
    #expect(short.operations.count <= 10, "\(short)\n\(disagreement)")
  }

  private var seeds: [UInt64] {
    let given = ProcessInfo.processInfo.environment["LINEAGE_SEED"].flatMap { UInt64($0) }
    return given.map { [$0] } ?? Array(1...UInt64(Self.programs))
  }

  /// Runs a program, lets go of everything but the counts, and looks at those.
  private static func leak(in program: Program, _ strategy: Strategy) -> Disagreement? {
    func run() -> (Ledger, [Subject.Weak]) {
      let subject = Subject(program, strategy: strategy)
      for step in program.operations { _ = subject.perform(step) }
      return (subject.ledger, subject.nodes)
    }
    let (ledger, nodes) = run()
    let count = ledger.liveObjects + nodes.count { $0.responder != nil }
    let left = Event.state("\(count) contexts and responders are left")
    let end = program.operations.count
    return count == 0 ? nil : Disagreement(step: end, expected: [], actual: [left])
  }
}
