extension String {
  /// The text in which each character with a special meaning in HTML or SVG is escaped.
  var escaped: String {
    reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
  }

  /// The name of the CSS class for a subject of this name.
  var cssClass: String { "s-" + lowercased().map { $0.isLetter ? String($0) : "-" }.joined() }
}

extension Double {
  /// The number as the text of a coordinate, rounded to a tenth of a pixel.
  var pixels: String {
    let tenths = (self * 10).rounded()
    return tenths.truncatingRemainder(dividingBy: 10) == 0
      ? String(Int(tenths / 10)) : String(tenths / 10)
  }
}

extension TextTable {
  /// The table as HTML. Columns of figures are aligned right.
  var html: String {
    let lines = ([header] + rows).enumerated().map { line, cells in
      let tag = line == 0 ? "th" : "td"
      let html = cells.enumerated().map { column, cell in
        "<\(tag)\(column < wordColumns ? "" : " class=\"n\"")>\(cell.escaped)</\(tag)>"
      }
      return "<tr>\(html.joined())</tr>"
    }
    return "<table>\n\(lines.joined(separator: "\n"))\n</table>"
  }
}
