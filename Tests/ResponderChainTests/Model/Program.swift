/// A sequence of steps that can be done to an oracle and a subject, and printed.
struct Program: Equatable, Sendable {
  /// What a numbered responder is; number 0 is the application.
  enum Kind: String { case application = "Application", controller = "Controller", view = "View" }

  var seed: UInt64
  var kinds: [Kind]
  /// Shorter than the operations once it has been shrunk.
  var operations: [Operation]
}

extension Program: CustomStringConvertible {
  /// The program as Swift, or nearly; all responders exist and are held before its first step.
  var description: String {
    let used = Set(operations.flatMap(\.nodes)).subtracting([0]).sorted()
    let declarations = used.map { "let n\($0) = \(kinds[$0].rawValue)()" }
    let steps = operations.map(\.description)
    return (["// seed \(seed), n0 = app"] + declarations + steps).joined(separator: "\n")
  }
}

/// Sebastiano Vigna's SplitMix64: small, seeded, the same on every machine.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number below a bound; the tiny bias does not matter here.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

  /// Whether something that happens so many times in a hundred happens now.
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
