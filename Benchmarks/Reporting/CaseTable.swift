/// Cases by name with the values of their parameters, for `--list` and for what was skipped.
struct CaseTable {
  let cases: [BenchmarkCase]

  var lines: [String] {
    var table = TextTable(
      header: ["case", "unit", "parameters", "cases", "subjects, baseline first"], wordColumns: 5)
    var seen: [String] = []
    for one in cases where !seen.contains(key(one)) {
      seen.append(key(one))
      let same = cases.filter { key($0) == key(one) }
      table.rows.append([
        "\(one.suite.rawValue) \(one.name)", one.unit.rawValue, parameters(of: same),
        same.count.grouped, subjects(of: one),
      ])
    }
    return table.lines
  }

  private func key(_ one: BenchmarkCase) -> String {
    "\(one.suite)|\(one.name)|\(one.parameters.map(\.name))|\(one.baseline)"
  }

  private func parameters(of cases: [BenchmarkCase]) -> String {
    let names = cases.first?.parameters.map(\.name) ?? []
    return names.map { name in
      var values: [String] = []
      for parameter in cases.flatMap(\.parameters) where parameter.name == name {
        let value = parameter.value.description
        if !values.contains(value) { values.append(value) }
      }
      return "\(name) \(values.joined(separator: " "))"
    }.joined(separator: "; ")
  }

  private func subjects(of one: BenchmarkCase) -> String {
    let others = one.subjects.map(\.name).filter { $0 != one.baseline }
    return ([one.baseline] + others).joined(separator: ", ")
  }
}
