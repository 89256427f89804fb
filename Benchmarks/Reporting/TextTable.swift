/// A text table with aligned columns.
package struct TextTable {
  let header: [String]
  /// The number of columns on the left that have words. All other columns have figures, which are
  /// aligned right.
  let wordColumns: Int
  package var rows: [[String]] = []

  package init(header: [String], wordColumns: Int = 1) {
    (self.header, self.wordColumns) = (header, wordColumns)
  }

  var lines: [String] {
    let widths = header.indices.map { column in
      ([header] + rows).map { $0[column].count }.max() ?? 0
    }
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "──")
    return [line(header, widths), rule] + rows.map { line($0, widths) }
  }

  /// The lines of the table in GitHub's Markdown. Cells are not padded, so that a change of one row
  /// does not change the other lines.
  package var markdown: [String] {
    let rule = header.indices.map { $0 < wordColumns ? ":--" : "--:" }
    return ([header, rule] + rows).map { cells in
      "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    let padded = cells.enumerated().map { column, cell in
      let space = String(repeating: " ", count: widths[column] - cell.count)
      return column < wordColumns ? cell + space : space + cell
    }
    var line = padded.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }
}
