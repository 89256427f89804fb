/// A table with a title, which describes the figures in the table.
package struct TitledTable {
  let title: String
  package let table: TextTable

  /// The title and the table as text for a terminal.
  var text: String { ([title, ""] + table.lines).joined(separator: "\n") }

  /// The title as a heading of the third level and the table, as lines of Markdown.
  var markdown: [String] { ["### \(title)", ""] + table.markdown }
}
