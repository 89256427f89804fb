/// A table below a title that says what its figures are.
struct TitledTable {
  let title: String
  let table: TextTable

  /// The title and the table as text for a terminal.
  var text: String { ([title, ""] + table.lines).joined(separator: "\n") }

  /// The lines of the title, a heading of the third level, and of the table in Markdown.
  var markdown: [String] { ["### \(title)", ""] + table.markdown }
}
