import Foundation

/// The random generator SplitMix64 by Sebastiano Vigna. A seed gives the same numbers on every
/// machine.
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Draws a number from zero up to, but not including, the bound. The small bias does not matter
  /// here.
  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

  /// Draws true with the given probability in percent.
  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}

extension SplitMix64 {
  /// The seed in the environment variable `LINEAGE_SEED`; nil if there is none.
  private static var given: UInt64? {
    ProcessInfo.processInfo.environment["LINEAGE_SEED"].flatMap { UInt64($0) }
  }

  /// Returns the seed of a random test: the one in the environment variable `LINEAGE_SEED`, or the
  /// usual seed if the variable is not set.
  package static func seed(_ usual: UInt64) -> UInt64 { given ?? usual }

  /// Returns the seeds of a random test: only the one in the environment variable `LINEAGE_SEED`,
  /// or `count` numbers from `first` on if the variable is not set.
  package static func seeds(_ count: Int, from first: UInt64 = 1) -> [UInt64] {
    given.map { [$0] } ?? Array(first..<first + UInt64(count))
  }
}
