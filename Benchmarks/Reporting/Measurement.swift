/// The result of one subject in one case.
package struct Measurement {
  let suite: String
  let `case`: String
  let subject: String
  let parameters: [Parameter]
  let unit: Unit
  let statistics: Statistics
  let baseline: String
  let ratio: Double

  package init(
    suite: String, case: String, subject: String, parameters: [Parameter], unit: Unit,
    statistics: Statistics, baseline: String, ratio: Double
  ) {
    self.suite = suite
    self.case = `case`
    self.subject = subject
    self.parameters = parameters
    self.unit = unit
    self.statistics = statistics
    self.baseline = baseline
    self.ratio = ratio
  }

  var median: Double { statistics.median }

  subscript(parameter name: String) -> ParameterValue? {
    parameters.first { $0.name == name }?.value
  }
}

extension Sequence<Measurement> {
  /// Returns the measurements of the cases that have the given name and the given values of
  /// parameters.
  func of(_ case: String, _ fixed: Parameter...) -> [Measurement] { of(`case`, fixed) }

  func of(_ case: String, _ fixed: [Parameter]) -> [Measurement] {
    filter { one in
      one.case == `case` && fixed.allSatisfy { one[parameter: $0.name] == $0.value }
    }
  }

  /// Returns the numbers that are values of a parameter, in ascending order and without duplicates.
  func numbers(of parameter: String) -> [Int] {
    let numbers = compactMap { one -> Int? in
      guard case .number(let number) = one[parameter: parameter] else { return nil }
      return number
    }
    return Set(numbers).sorted()
  }

  /// The names of the subjects, in the order in which they first appear.
  var subjects: [String] {
    var seen: Set<String> = []
    return map(\.subject).filter { seen.insert($0).inserted }
  }

  /// Returns one subject's medians in ascending order of a numeric parameter.
  func curve(of subject: String, by parameter: String) -> [Curve.Point] {
    compactMap { one -> Curve.Point? in
      guard one.subject == subject, case .number(let x) = one[parameter: parameter] else {
        return nil
      }
      return Curve.Point(x: Double(x), y: one.median)
    }.sorted { $0.x < $1.x }
  }
}
