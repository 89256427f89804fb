/// Cases by name with the values of their parameters, for `--list` and for what was skipped.
struct CaseList {
  let cases: [BenchmarkCase]

  /// Lines of at most so many characters, unless one word is longer.
  func lines(width: Int) -> [String] {
    var lines: [String] = []
    var seen: Set<String> = []
    for one in cases where seen.insert(key(one)).inserted {
      let same = cases.filter { key($0) == key(one) }
      let count = same.count == 1 ? "1 case" : "\(same.count.grouped) cases"
      let title = "\(one.suite.rawValue) \(one.name), \(one.unit.rawValue), \(count)"
      lines += wrapped(title, "", width)
      if !one.parameters.isEmpty { lines += wrapped(parameters(of: same), "  ", width) }
      lines += wrapped(subjects(of: one), "  ", width)
    }
    return lines
  }

  /// Words in lines, those after the first one indented further.
  private func wrapped(_ text: String, _ indentation: String, _ width: Int) -> [String] {
    var lines: [String] = []
    var line = indentation
    var isEmpty = true
    for word in text.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        (line, isEmpty) = (indentation + "  ", true)
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
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
    return ([one.baseline + " (baseline)"] + others).joined(separator: ", ")
  }
}
