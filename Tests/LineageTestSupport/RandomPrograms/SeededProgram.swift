/// A random program whose steps are seeds.
///
/// Each step draws what it does from a generator of its own. So a step does the same thing, or nearly,
/// when others before it are left out.
package struct SeededProgram: RandomProgram, Sendable {
  /// The seed of what is there before the first step.
  package let seed: UInt64
  package var steps: [UInt64]

  package init(seed: UInt64, count: Int) {
    self.seed = seed
    var random = SplitMix64(seed: seed)
    steps = (0..<count).map { _ in random.next() }
  }

  package var description: String { "\(steps.count) steps:" }
}
