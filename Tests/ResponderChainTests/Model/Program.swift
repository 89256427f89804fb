import LineageTestSupport

/// A sequence of steps that can be done to an oracle and a subject, and printed.
struct Program: Equatable, Sendable {
  /// The type of a numbered responder; number 0 is the application.
  enum Kind: String { case application = "Application", controller = "Controller", view = "View" }

  var seed: UInt64
  var kinds: [Kind]
  /// Shorter than they were drawn once the program has been shrunk.
  var steps: [Operation]
}

extension Program: CustomStringConvertible {
  /// The program as Swift, or nearly; all responders exist and are held before its first step.
  var description: String {
    let used = Set(steps.flatMap(\.nodes)).subtracting([0]).sorted()
    let declarations = used.map { "let n\($0) = \(kinds[$0].rawValue)()" }
    return (["// seed \(seed), n0 = app"] + declarations + steps.map(\.description))
      .joined(separator: "\n")
  }
}
