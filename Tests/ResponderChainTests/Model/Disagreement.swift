import LineageTestSupport

/// The first step of a program at which a model's log differs from the oracle's.
struct Disagreement: Equatable {
  /// The index of the step; the number of steps if only the state at the end differs.
  let step: Int
  let expected: [Event]
  let actual: [Event]

  /// Runs a program on a model and compares step by step.
  static func first(
    in program: Program, expected: [[Event]]? = nil, _ makeModel: (Program) -> any Model
  ) -> Disagreement? {
    let model = makeModel(program)
    let oracle = expected == nil ? Oracle(program) : nil
    for (step, operation) in program.steps.enumerated() {
      let wanted = expected?[step] ?? oracle?.perform(operation) ?? []
      let actual = model.perform(operation)
      if wanted != actual { return Disagreement(step: step, expected: wanted, actual: actual) }
    }
    let wanted = expected?.last ?? oracle?.finish() ?? []
    let actual = model.finish()
    guard wanted != actual else { return nil }
    return Disagreement(step: program.steps.count, expected: wanted, actual: actual)
  }
}

extension Disagreement {
  /// Runs a program on a model and returns it up to the step at which they differ.
  static func counterexample(
    in program: Program, expected: [[Event]]? = nil, _ makeModel: (Program) -> any Model
  ) -> Counterexample<Program>? {
    first(in: program, expected: expected, makeModel).map {
      Counterexample(program, failingAt: $0.step, complaint: "\($0)")
    }
  }
}

extension Disagreement: CustomStringConvertible {
  /// The lines that differ, without those that both sides have in common at the start.
  var description: String {
    let common = zip(expected, actual).prefix { $0 == $1 }.count
    func lines(_ events: [Event]) -> String {
      events.isEmpty ? "nothing" : events.map(\.description).joined(separator: "\n            ")
    }
    return """
      at step \(step + 1), after \(common) equal lines:
        oracle:   \(lines(Array(expected.dropFirst(common))))
        subject:  \(lines(Array(actual.dropFirst(common))))
      """
  }
}
