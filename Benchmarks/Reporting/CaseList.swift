/// A list of cases with the values of their parameters, for `--list`.
struct CaseList {
  let cases: [BenchmarkCase]

  /// Returns lines of at most `width` characters, unless one word is longer.
  func lines(width: Int) -> [String] {
    var lines: [String] = []
    var seen: Set<String> = []
    for one in cases where seen.insert(key(one)).inserted {
      let same = cases.filter { key($0) == key(one) }
      let title = "\(one.suite.rawValue) \(one.name), \(one.unit.rawValue), \(same.count.cases)"
      lines += title.wrapped(to: width, hanging: "  ")
      let details = one.parameters.isEmpty ? [] : [same.parameterValues]
      for text in details + [subjects(of: one)] {
        lines += text.wrapped(to: width - 2, hanging: "  ").map { "  " + $0 }
      }
    }
    return lines
  }

  private func key(_ one: BenchmarkCase) -> String {
    "\(one.suite)|\(one.name)|\(one.parameters.map(\.name))|\(one.baseline)"
  }

  private func subjects(of one: BenchmarkCase) -> String {
    let others = one.subjects.map(\.name).filter { $0 != one.baseline }
    return ([one.baseline + " (baseline)"] + others).joined(separator: ", ")
  }
}

extension Int {
  /// The number of cases as a text, “1 case” or “12 cases”.
  var cases: String { self == 1 ? "1 case" : "\(grouped) cases" }
}

extension [BenchmarkCase] {
  /// The values that each parameter takes, for instance “depth 8 32; providers 0 all”.
  var parameterValues: String {
    let names = first?.parameters.map(\.name) ?? []
    return names.map { name in
      var values: [String] = []
      for parameter in flatMap(\.parameters) where parameter.name == name {
        let value = parameter.value.description
        if !values.contains(value) { values.append(value) }
      }
      return "\(name) \(values.joined(separator: " "))"
    }.joined(separator: "; ")
  }
}
