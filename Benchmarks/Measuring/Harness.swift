/// The runner that measures the subjects of one case against each other.
///
/// Each round takes one sample of each subject, and another subject is first in each round. So a
/// change of the machine's speed affects all subjects alike.
@MainActor struct Harness {
  /// The shortest duration of a sample, in nanoseconds. The work of a faster subject is repeated in
  /// each sample to reach this duration.
  nonisolated static let leastSample = 200_000.0
  /// The time of one iteration, in nanoseconds, below which one unmeasured iteration precedes each
  /// sample.
  ///
  /// The unmeasured iteration fills the processor's caches with the subject's own data, in place of
  /// data of the other subjects. Later iterations of a sample find their data in the caches anyway.
  nonisolated static let warmed = 5_000_000.0

  let effort: Effort

  func measure(_ benchmark: BenchmarkCase) async throws -> [Measurement] {
    var contestants: [Contestant] = []
    for subject in benchmark.subjects {
      contestants.append(Contestant(name: subject.name, trial: try await subject.prepare()))
    }
    try await requireEqualAnswers(of: contestants, in: benchmark)
    if benchmark.unit.isTime {
      for contestant in contestants { try await contestant.calibrate() }
    } else {
      for contestant in contestants { _ = try await contestant.trial.sample(1) }
    }
    let start = ContinuousClock.now
    for round in 0..<effort.samples {
      if round >= effort.leastSamples, Stopwatch.nanoseconds(since: start) > effort.caseTime {
        break
      }
      for turn in contestants.indices {
        try await contestants[(turn + round) % contestants.count].takeSample()
      }
    }
    return summarise(contestants, of: benchmark)
  }

  private func requireEqualAnswers(
    of contestants: [Contestant], in benchmark: BenchmarkCase
  ) async throws {
    var expected: (name: String, answer: Answer)?
    for contestant in contestants {
      let answer = try await contestant.trial.answer()
      if let expected, expected.answer != answer {
        throw DifferentAnswers(
          title: benchmark.title, names: [expected.name, contestant.name],
          answers: [expected.answer, answer])
      }
      expected = expected ?? (contestant.name, answer)
    }
  }

  private func summarise(
    _ contestants: [Contestant], of benchmark: BenchmarkCase
  ) -> [Measurement] {
    var found = contestants.map { contestant in
      (contestant.name, Besides(benchmark.name, benchmark.unit, contestant.samples))
    }
    for contestant in contestants {
      found += contestant.trial.besides().map { (contestant.name, $0) }
    }
    return found.map { subject, one in
      let summary = Statistics(one.inUnit)
      let base = found.first { $0.0 == benchmark.baseline && $0.1.name == one.name }
      return Measurement(
        suite: benchmark.suite.rawValue, case: one.name, subject: subject,
        parameters: benchmark.parameters, unit: one.unit, statistics: summary,
        baseline: benchmark.baseline,
        ratio: Statistics.ratio(
          summary.median, to: base.map { Statistics($0.1.inUnit).median } ?? 0))
    }
  }
}

/// The error thrown when two subjects of a case compute different answers. The case is not timed
/// then.
struct DifferentAnswers: Error, CustomStringConvertible {
  let title: String
  let names: [String]
  let answers: [Answer]

  var description: String {
    let said = zip(names, answers).map { name, answer in
      let figures = answer.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      return "“\(name)” answers \(figures.joined(separator: ", "))"
    }
    return "\(title): \(said.joined(separator: ", but ")); nothing was timed."
  }
}

/// The error thrown when repeating a subject's work takes no time, because the optimiser has
/// removed the loop.
struct NothingToMeasure: Error, CustomStringConvertible {
  let subject: String

  var description: String {
    "Repeating “\(subject)” takes no time, so there is nothing to measure."
  }
}

/// A prepared subject with its samples so far.
@MainActor private final class Contestant {
  let name: String
  let trial: Trial
  private var iterations = 1
  private var isWarmed = false
  private(set) var samples: [Double] = []

  init(name: String, trial: Trial) { (self.name, self.trial) = (name, trial) }

  func calibrate() async throws {
    // The first iteration fills the caches, so its time is used only to see whether the subject is
    // slow.
    let first = try await trial.sample(1)
    guard first < Harness.warmed else { return }
    isWarmed = !trial.isCold
    while true {
      let time = try await trial.sample(iterations)
      guard time < Harness.leastSample else { return }
      guard iterations < 1 << 40 else { throw NothingToMeasure(subject: name) }
      let factor = (Harness.leastSample * 1.1 / max(time, 1)).rounded(.up)
      iterations *= Int(min(max(factor, 2), 100))
    }
  }

  func takeSample() async throws {
    if isWarmed { _ = try await trial.sample(1) }
    let total = try await trial.sample(iterations)
    samples.append(total / Double(iterations * trial.operations))
  }
}
