/// A measured task with fixed parameters, performed by one or more subjects.
package struct BenchmarkCase {
  let suite: Suite
  let name: String
  let parameters: [Parameter]
  let unit: Unit
  /// The lowest effort of a run that includes the case.
  let effort: Effort
  /// Whether a run with the default effort leaves the case out, to end within its limit of time.
  private(set) var isLeftOutByDefault = false
  /// The name of the subject whose median is the divisor of all ratios.
  let baseline: String
  let subjects: [Subject]
  /// The upper limits for the figures of the case.
  let bars: [Bar]

  package init(
    suite: Suite, name: String, parameters: [Parameter], unit: Unit, effort: Effort,
    baseline: String, subjects: [Subject], bars: [Bar] = []
  ) {
    self.suite = suite
    self.name = name
    self.parameters = parameters
    self.unit = unit
    self.effort = effort
    self.baseline = baseline
    self.subjects = subjects
    self.bars = bars
  }

  /// Returns the case as one that is measured with `--quick` and `--full` only. So each run of CI
  /// checks its answers, and a default run ends within its limit of time.
  func leftOutByDefault() -> BenchmarkCase {
    var copy = self
    copy.isLeftOutByDefault = true
    return copy
  }

  func isMeasured(with effort: Effort) -> Bool {
    self.effort <= effort && !(isLeftOutByDefault && effort == .standard)
  }

  /// The case's name with its parameters, for instance “lookup depth 8 providers all”.
  var title: String {
    ([name] + parameters.map { "\($0.name) \($0.value)" }).joined(separator: " ")
  }
}

/// A named number or word that distinguishes cases of the same name.
package struct Parameter: Equatable {
  let name: String
  let value: ParameterValue

  package init(_ name: String, _ number: Int) { (self.name, value) = (name, .number(number)) }
  package init(_ name: String, _ text: String) { (self.name, value) = (name, .text(text)) }
}

package enum ParameterValue: Hashable, CustomStringConvertible {
  case number(Int)
  case text(String)

  package var description: String {
    switch self {
    case .number(let number): number.grouped
    case .text(let text): text
    }
  }
}

/// The unit in which a result is reported. Samples are in nanoseconds, bytes or trips to a server.
package enum Unit: String, Codable {
  case nanoseconds = "ns"
  case microseconds = "µs"
  case milliseconds = "ms"
  case bytes, trips

  var divisor: Double {
    switch self {
    case .nanoseconds, .bytes, .trips: 1
    case .microseconds: 1e3
    case .milliseconds: 1e6
    }
  }
  /// Whether the unit is a unit of time. If it is, the work of a short sample is repeated to make
  /// the sample longer.
  var isTime: Bool { self != .bytes && self != .trips }
}
