/// A chart of curves on two logarithmic axes, as inline SVG. Each curve has its name at its end.
struct LineChart {
  struct Series {
    let name: String
    let points: [Curve.Point]
    /// The name of the subject whose colour the curve has. If it is nil, the curve's own name
    /// decides the colour.
    var style: String?
    var isDashed = false
  }

  /// A highlighted point, with a line down to the axis.
  struct Mark {
    let point: Curve.Point
    let text: String
    let style: String
    let title: String
  }

  var title: String?
  let series: [Series]
  var marks: [Mark] = []
  let xLabel: String
  let yLabel: String
  /// The function that turns a value of the vertical axis into a text with a number of significant
  /// digits.
  var yText: (_ value: Double, _ digits: Int) -> String
  var width = 960.0
  var height = 380.0
  var labelWidth = 196.0

  private let top = 34.0
  private let left = 62.0
  private let bottom = 46.0

  var svg: String {
    let points = series.flatMap(\.points)
    let x = LogAxis(covering: points.map(\.x), from: left + 12, to: width - labelWidth - 12)
    let y = LogAxis(
      covering: points.map(\.y), from: height - bottom, to: plotTop, padding: 1.35)
    return """
      <svg viewBox="0 0 \(width.pixels) \(height.pixels)" role="img" \
      aria-label="\((title ?? "\(yLabel) by \(xLabel)").escaped)">
      \(frame(x, y))
      \(series.map { curve($0, x, y) }.joined(separator: "\n"))
      \(markers(x, y))
      \(names(x, y))
      </svg>
      """
  }

  /// The upper edge of the area for the curves, in pixels. The texts of the marks are above this
  /// edge.
  private var plotTop: Double { top + (marks.isEmpty ? 0 : Double(marks.count) * 15 + 4) }
}

extension LineChart {
  private func frame(_ x: LogAxis, _ y: LogAxis) -> String {
    let (start, end, floor) = (left, width - labelWidth, height - bottom)
    var lines: [String] = []
    if let title { lines.append(text(title, left, 14, "title")) }
    lines.append(text(yLabel, title == nil ? 8 : end, 14, title == nil ? "axis" : "axis end"))
    lines.append(text(xLabel, (start + end) / 2, height - 8, "axis middle"))
    for tick in y.ticks {
      let position = y.position(tick)
      lines.append(line(start, position, end, position, "grid"))
      lines.append(text(yText(tick, 1), start - 8, position + 4, "tick end"))
    }
    for tick in Set(series.flatMap { $0.points.map(\.x) }).sorted() {
      let position = x.position(tick)
      lines.append(line(position, floor, position, floor + 5, "rule"))
      lines.append(text(Int(tick).grouped, position, floor + 19, "tick middle"))
    }
    lines.append(line(start, floor, end, floor, "rule"))
    return lines.joined(separator: "\n")
  }

  private func curve(_ one: Series, _ x: LogAxis, _ y: LogAxis) -> String {
    let places = one.points.map { "\(x.position($0.x).pixels),\(y.position($0.y).pixels)" }
    let dots = one.points.map { point in
      let center = "cx=\"\(x.position(point.x).pixels)\" cy=\"\(y.position(point.y).pixels)\""
      let said = "\(one.name): \(yText(point.y, 3)) at \(Int(point.x).grouped) \(xLabel)"
      return """
        <g class="dot"><circle \(center) r="3"/><circle class="hit" \(center) r="9"/>\
        <title>\(said.escaped)</title></g>
        """
    }
    return """
      <g class="\((one.style ?? one.name).cssClass)\(one.isDashed ? " dashed" : "")">
      <polyline points="\(places.joined(separator: " "))"/>
      \(dots.joined(separator: "\n"))
      </g>
      """
  }

  private func markers(_ x: LogAxis, _ y: LogAxis) -> String {
    marks.enumerated().map { row, mark in
      let (across, down) = (x.position(mark.point.x), y.position(mark.point.y))
      let nameY = top + Double(row) * 15
      // The widest usual font takes seven pixels for a letter.
      let isRight = across + 7 * Double(mark.text.count) > width
      return """
        <g class="mark \(mark.style.cssClass)">
        \(line(across, nameY - 8, across, height - bottom, "drop"))
        <circle cx="\(across.pixels)" cy="\(down.pixels)" r="6"/>
        \(text(mark.text, across + (isRight ? -6 : 6), nameY, isRight ? "end" : ""))
        <title>\(mark.title.escaped)</title></g>
        """
    }.joined(separator: "\n")
  }

  /// Returns the SVG of the curves' names, which are beside the last points. Names that would
  /// overlap are moved apart.
  private func names(_ x: LogAxis, _ y: LogAxis) -> String {
    let ends = series.compactMap { one in
      one.points.last.map { (one, x.position($0.x), y.position($0.y)) }
    }
    let places = LabelColumn(lowest: plotTop, highest: height - bottom, gap: 17)
      .places(for: ends.map(\.2))
    return zip(ends, places).map { end, place in
      let (one, across, down) = end
      let start = width - labelWidth + 10
      return """
        <g class="name \((one.style ?? one.name).cssClass)">
        <path d="M\((across + 6).pixels) \(down.pixels)L\(start.pixels) \(place.pixels)"/>
        \(text(one.name, start + 5, place + 4, ""))
        </g>
        """
    }.joined(separator: "\n")
  }

  private func text(_ text: String, _ x: Double, _ y: Double, _ style: String) -> String {
    "<text x=\"\(x.pixels)\" y=\"\(y.pixels)\" class=\"\(style)\">\(text.escaped)</text>"
  }

  private func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String
  ) -> String {
    let ends = "x1=\"\(x1.pixels)\" y1=\"\(y1.pixels)\" x2=\"\(x2.pixels)\" y2=\"\(y2.pixels)\""
    return "<line \(ends) class=\"\(style)\"/>"
  }
}
