/// A table below a line that says what its figures are.
struct TitledTable {
  let title: String
  let table: TextTable

  /// The title and the table for a terminal.
  var text: String { ([title, ""] + table.lines).joined(separator: "\n") }

  /// The title as a heading of the third level, and the table, in Markdown.
  var markdown: [String] { ["### \(title)", ""] + table.markdown }
}
