import Foundation
import Lineage
import Testing

/// Tests of the table of strategies in README.md. Its figures are those of the results of the
/// benchmarks. With `LINEAGE_README=write` in the environment, the test writes them.
@Suite("The README's figures", .serialized)
struct ReadmeFigureTests {
  /// A column of the table in README.md, and the benchmark case from which its figures come.
  struct Column {
    let title: String
    let benchmark: String
    let parameters: [String: String]
    /// The subjects of the benchmark, stored under the beginnings of their rows in README.md. Other
    /// rows have no figure in the column.
    let subjects: [String: String]
  }

  /// The subjects of the strategies, stored under the beginnings of their rows in README.md. A
  /// subject has the name of its strategy.
  static let strategies = Dictionary(
    uniqueKeysWithValues: Strategy.allCases.map { ("`.\($0.rawValue)`", $0.rawValue) })

  static let columns = [
    Column(
      title: "a lookup, 8 hops", benchmark: "resolution: lookup",
      parameters: ["depth": "8", "providers": "0"],
      subjects: strategies.merging(
        [
          "by hand: a stored reference": "stored reference",
          "by hand: a property that asks a weak": "weak recursion",
          "by hand: a property that asks a strong": "strong recursion",
        ], uniquingKeysWith: { first, _ in first })),
    Column(
      title: "a new root value, 100,000 responders, 10 observers",
      benchmark: "resolution: root replaced", parameters: ["nodes": "100,000", "observers": "10"],
      subjects: strategies.merging(
        ["by hand: a stored reference": "hand-written push"],
        uniquingKeysWith: { first, _ in first })),
  ]

  /// The regular expression of a number and its unit, as README.md and RESULTS.md write them.
  static let figure = "[0-9][0-9.,]* ?(ns|µs|ms|bytes|kB|MB)"

  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Returns the table of strategies in README.md.
  private static func table() throws -> MarkdownTable {
    let tables = MarkdownTable.all(in: try text("README.md"))
    return try #require(
      tables.first { $0.header.first == "strategy" },
      "README.md has no table whose first column is “strategy”.")
  }

  @Test("Each of them is that of the results", arguments: columns.indices)
  func figures(_ index: Int) throws {
    let column = Self.columns[index]
    let table = try Self.table()
    let place = try #require(
      table.header.firstIndex(of: column.title),
      "README.md's table has no column “\(column.title)”, but \(table.header).")
    let results = MarkdownTable.all(in: try Self.text("Benchmarks/RESULTS.md"))
    let parameters = column.parameters.sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    for row in table.rows {
      let subject = column.subjects.first { row[0].hasPrefix($0.key) }?.value
      let expected = try subject.map { try measured(column, $0, in: results) }
      guard row[place] != expected ?? "" else { continue }
      if ProcessInfo.processInfo.environment["LINEAGE_README"] == "write" {
        try Self.replace(row, place, with: expected ?? "")
        continue
      }
      Issue.record(
        """
        README.md says “\(row[place])” in the row \(row[0]), column “\(column.title)”.
        Benchmarks/RESULTS.md says “\(expected ?? "")”: \(column.benchmark), \(parameters), \
        \(subject ?? "no subject that this test knows for the row").
        LINEAGE_README=write swift test --filter Readme copies that figure to README.md.
        RESULTS.md is written by
        swift run -c release Benchmarks --full --markdown Benchmarks/RESULTS.md
        """)
    }
    for name in column.subjects.keys {
      #expect(table.rows.contains { $0[0].hasPrefix(name) }, "README.md has no row of \(name).")
    }
  }

  @Test("They stand in that table only, where they are compared")
  func elsewhere() throws {
    let rows = try Self.table().lines
    for line in try Self.text("README.md").components(separatedBy: "\n") where !rows.contains(line)
    {
      let found = line.range(of: Self.figure, options: .regularExpression)
      #expect(found == nil, "README.md has a figure that no test compares: \(line)")
    }
  }

  /// Returns the figure of a subject in the results of the benchmarks, with its unit.
  private func measured(
    _ column: Column, _ subject: String, in results: [MarkdownTable]
  ) throws -> String {
    let place = "Benchmarks/RESULTS.md, \(column.benchmark)"
    let title = column.benchmark + ", "
    let table = try #require(results.first { $0.heading.hasPrefix(title) }, "\(place): no table")
    let unit = table.heading.dropFirst(title.count).prefix { $0 != "," }
    func cell(_ row: [String], _ name: String) throws -> String {
      row[try #require(table.header.firstIndex(of: name), "\(place): no column “\(name)”")]
    }
    let row = try table.rows.first { row in
      try column.parameters.allSatisfy { try cell(row, $0.key) == $0.value }
    }
    let found = try #require(row, "\(place): no row of \(column.parameters)")
    return "\(try cell(found, subject).prefix { $0 != " " }) \(unit)"
  }

  /// Writes a cell of the row of README.md that begins with the same cell.
  private static func replace(_ row: [String], _ place: Int, with figure: String) throws {
    let lines = try text("README.md").components(separatedBy: "\n").map { line in
      var cells = line.components(separatedBy: "|")
      guard line.hasPrefix("| \(row[0]) |"), cells.count > place + 1 else { return line }
      cells[place + 1] = figure.isEmpty ? " " : " \(figure) "
      return cells.joined(separator: "|")
    }
    try lines.joined(separator: "\n")
      .write(to: root.appending(path: "README.md"), atomically: true, encoding: .utf8)
  }
}

/// A table of a Markdown file, with the heading above it.
private struct MarkdownTable {
  var heading = ""
  var lines: [String] = []

  var header: [String] { lines.first.map(Self.cells) ?? [] }

  /// The cells of the rows. A row that is shorter than the header is filled with empty cells.
  var rows: [[String]] {
    let count = header.count
    return lines.dropFirst(2).map { line in
      let cells = Self.cells(line)
      return cells + Array(repeating: "", count: max(0, count - cells.count))
    }
  }

  static func all(in text: String) -> [MarkdownTable] {
    var tables: [MarkdownTable] = []
    var open = MarkdownTable()
    for line in text.components(separatedBy: "\n") + [""] {
      if line.hasPrefix("|") {
        open.lines.append(line)
        continue
      }
      if !open.lines.isEmpty { tables.append(open) }
      open.lines = []
      if line.hasPrefix("#") {
        open.heading = String(line.drop { $0 == "#" }.dropFirst())
      }
    }
    return tables
  }

  private static func cells(_ line: String) -> [String] {
    line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
