/// The measurements as one table for each case name and set of subjects.
struct ResultTables {
  let measurements: [Measurement]

  var text: String {
    groups.map { group in
      ([title(of: group), ""] + table(of: group).lines).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  /// Measurements with the same case, parameter names and baseline, in their order.
  private var groups: [[Measurement]] {
    var keys: [String] = []
    let groups = Dictionary(grouping: measurements) { one in
      let key = "\(one.case)|\(one.parameters.map(\.name))|\(one.baseline)"
      if !keys.contains(key) { keys.append(key) }
      return key
    }
    return keys.compactMap { groups[$0] }
  }

  private func title(of group: [Measurement]) -> String {
    guard let first = group.first else { return "" }
    return
      "\(first.suite): \(first.case), \(first.unit.rawValue), median (ratio to \(first.baseline))"
  }

  private func table(of group: [Measurement]) -> TextTable {
    let names = group.first?.parameters.map(\.name) ?? []
    let subjects = group.subjects
    var table = TextTable(header: names + subjects, wordColumns: 0)
    var index = 0
    while index < group.count {
      let parameters = group[index].parameters
      let row = group[index...].prefix { $0.parameters == parameters }
      index = row.endIndex
      table.rows.append(
        parameters.map(\.value.description)
          + subjects.map { subject in
            row.first { $0.subject == subject }.map(Self.cell) ?? ""
          })
    }
    return table
  }

  private static func cell(_ one: Measurement) -> String {
    guard one.subject != one.baseline else { return one.median.figure }
    return "\(one.median.figure) (\(one.ratio.times))"
  }
}
