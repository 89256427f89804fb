/// The table of all break-evens. It has a row for each pair of subjects at each depth, and a column
/// for each tree size.
struct BreakEvenTable {
  let findings: [BreakEvenFinding]

  var table: TitledTable {
    let sizes = distinct(findings.map(\.nodes))
    var table = TextTable(header: ["break-even"] + sizes.map { "\($0.grouped) pushed" })
    for (winner, loser) in BreakEvenFinding.pairs {
      for depth in distinct(findings.map(\.depth)) {
        let row = findings.filter {
          $0.winner == winner && $0.loser == loser && $0.depth == depth
        }
        guard !row.isEmpty else { continue }
        table.rows.append(
          ["\(winner) over \(loser), depth \(depth)"]
            + sizes.map { size in row.first { $0.nodes == size }.map(cell) ?? "" })
      }
    }
    return TitledTable(
      title: "resolution: lookups per change from which the first is cheaper than the second",
      table: table)
  }

  private func cell(_ finding: BreakEvenFinding) -> String {
    switch finding.breakEven {
    case .at(let lookups): lookups.formatted(digits: 2)
    case .always: "always"
    case .never: "never"
    }
  }

  private func distinct(_ numbers: [Int]) -> [Int] { Set(numbers).sorted() }
}
