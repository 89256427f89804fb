/// A random program whose steps are seeds.
///
/// Each step makes its random choices with its own seed. So the removal of earlier steps changes a
/// step only a little.
package struct SeededProgram: RandomProgram, Sendable {
  /// The seed of the state before the first step.
  package let seed: UInt64
  package var steps: [UInt64]

  package init(seed: UInt64, count: Int) {
    self.seed = seed
    var random = SplitMix64(seed: seed)
    steps = (0..<count).map { _ in random.next() }
  }

  package var description: String { "\(steps.count) steps:" }
}
