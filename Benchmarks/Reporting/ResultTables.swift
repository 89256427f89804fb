/// The measurements as text tables.
///
/// Measurements with the same case name, parameter names and baseline share a table. In the
/// suites of stores, cases with different names also share a table if their unit, parameter names and
/// baseline are the same.
struct ResultTables {
  let measurements: [Measurement]

  var all: [TitledTable] {
    groups.map { TitledTable(title: title(of: $0), table: table(of: $0)) }
  }

  /// The groups of measurements that share a table, in the order of the measurements.
  private var groups: [[Measurement]] {
    var keys: [String] = []
    let groups = Dictionary(grouping: measurements) { one in
      let which = Self.joinsCases(one) ? one.unit.rawValue : one.case
      let key = "\(one.suite)|\(which)|\(one.parameters.map(\.name))|\(one.baseline)"
      if !keys.contains(key) { keys.append(key) }
      return key
    }
    return keys.compactMap { groups[$0] }
  }

  private static func joinsCases(_ one: Measurement) -> Bool {
    [Suite.store.rawValue, Suite.postgres.rawValue].contains(one.suite)
  }

  private func title(of group: [Measurement]) -> String {
    guard let first = group.first else { return "" }
    let name = Self.joinsCases(first) ? first.suite : "\(first.suite): \(first.case)"
    let isCompared = group.contains { $0.subject != $0.baseline && $0.ratio > 0 }
    return "\(name), \(first.unit.rawValue), median"
      + (isCompared ? " (ratio to \(first.baseline))" : "")
  }

  private func table(of group: [Measurement]) -> TextTable {
    let joinsCases = group.first.map(Self.joinsCases) ?? false
    let names = (joinsCases ? ["case"] : []) + (group.first?.parameters.map(\.name) ?? [])
    let subjects = group.subjects
    var table = TextTable(header: names + subjects, wordColumns: joinsCases ? 1 : 0)
    var index = 0
    while index < group.count {
      let first = group[index]
      let row = group[index...].prefix {
        $0.case == first.case && $0.parameters == first.parameters
      }
      index = row.endIndex
      table.rows.append(
        (joinsCases ? [first.case] : []) + first.parameters.map(\.value.description)
          + subjects.map { subject in
            row.first { $0.subject == subject }.map(Self.cell) ?? ""
          })
    }
    return table
  }

  private static func cell(_ one: Measurement) -> String {
    // A secondary result that the baseline does not have is compared with nothing.
    guard one.subject != one.baseline, one.ratio > 0 else { return one.median.figure }
    return "\(one.median.figure) (\(one.ratio.times))"
  }
}
