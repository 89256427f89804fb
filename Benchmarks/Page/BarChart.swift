/// A chart of horizontal bars in named groups, as inline SVG. All bars begin at zero.
struct BarChart {
  struct Bar {
    let name: String
    let value: Double
    let text: String
  }

  struct Group {
    let name: String
    let bars: [Bar]
  }

  let title: String
  let groups: [Group]
  var width = 960.0

  private let left = 150.0
  private let right = 110.0
  private let step = 26.0

  var svg: String {
    let most = groups.flatMap(\.bars).map(\.value).max() ?? 1
    var down = 8.0
    var parts: [String] = []
    for group in groups {
      down += 18
      parts.append(
        "<text x=\"\(left.pixels)\" y=\"\(down.pixels)\" class=\"title\">\(group.name.escaped)</text>"
      )
      down += 10
      for bar in group.bars {
        parts.append(row(bar, at: down, scale: (width - left - right) / max(most, 1)))
        down += step
      }
      down += 6
    }
    return """
      <svg viewBox="0 0 \(width.pixels) \(down.pixels)" role="img" \
      aria-label="\(title.escaped)">
      \(parts.joined(separator: "\n"))
      </svg>
      """
  }

  private func row(_ bar: Bar, at top: Double, scale: Double) -> String {
    let length = max(bar.value * scale, 1)
    let base = (top + 14).pixels
    return """
      <g class="bar \(bar.name.cssClass)">
      <text x="\((left - 10).pixels)" y="\(base)" class="tick end">\(bar.name.escaped)</text>
      <rect x="\(left.pixels)" y="\(top.pixels)" width="\(length.pixels)" height="19" rx="3"/>
      <text x="\((left + length + 8).pixels)" y="\(base)" class="value">\(bar.text.escaped)</text>
      <title>\("\(bar.name): \(bar.text)".escaped)</title>
      </g>
      """
  }
}
