extension String {
  /// The text with what has a meaning in HTML and SVG written so that it has none.
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

  /// The text as the name of a CSS class.
  var cssClass: String { "s-" + lowercased().map { $0.isLetter ? String($0) : "-" }.joined() }
}

extension Double {
  /// A coordinate, to a tenth of a pixel.
  var pixels: String {
    let tenths = (self * 10).rounded()
    return tenths.truncatingRemainder(dividingBy: 10) == 0
      ? String(Int(tenths / 10)) : String(tenths / 10)
  }
}
