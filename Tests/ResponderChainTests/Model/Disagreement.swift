import LineageTestSupport

/// The first step of a program at which the log of a model differs from the oracle's log.
struct Disagreement: Equatable {
  /// The index of the step. It is the number of steps if only the final states differ.
  let step: Int
  let expected: [Event]
  let actual: [Event]

  /// Runs a program on a model and compares the log of each step with the oracle's. Returns the
  /// first disagreement; nil if there is none.
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
  /// Runs a program on a model. Returns the program up to the first step at which the model
  /// disagrees with the oracle; nil if there is none.
  static func counterexample(
    in program: Program, expected: [[Event]]? = nil, _ makeModel: (Program) -> any Model
  ) -> Counterexample<Program>? {
    first(in: program, expected: expected, makeModel).map {
      Counterexample(program, failingAt: $0.step, complaint: "\($0)")
    }
  }
}

extension Disagreement: CustomStringConvertible {
  /// The lines of both logs at the step, without the equal lines at their beginnings.
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
