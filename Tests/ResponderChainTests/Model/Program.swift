import LineageTestSupport

/// A sequence of steps that the oracle and the subject can run and that a test can print.
struct Program: Equatable, Sendable {
  /// The type of a numbered responder; number 0 is the application.
  enum Kind: String {
    case application = "Application"
    case controller = "Controller"
    case view = "ViewResponder"
  }

  var seed: UInt64
  var kinds: [Kind]
  /// The steps. After shrinking, there are fewer of them than the seed gave.
  var steps: [Operation]
}

extension Program: CustomStringConvertible {
  /// The program as text that resembles Swift. All responders exist and are retained before its
  /// first step.
  var description: String {
    let used = Set(steps.flatMap(\.nodes)).subtracting([0]).sorted()
    let declarations = used.map { "let n\($0) = \(kinds[$0].rawValue)()" }
    return (["// seed \(seed), n0 = app"] + declarations + steps.map(\.description))
      .joined(separator: "\n")
  }
}
