/// A chart of curves on two logarithmic axes, as inline SVG in two widths. A stylesheet shows one of
/// them.
///
/// In the wide form each curve has its name at its end. In the narrow form a legend below the curves
/// has the names. If only one value of the horizontal axis was measured, the chart has bars.
struct LineChart {
  struct Series {
    let name: String
    let points: [Curve.Point]
    let isDashed: Bool
  }

  /// A highlighted point, with a line down to the axis.
  struct Mark {
    let point: Curve.Point
    let text: String
    let style: String
    let title: String
  }

  let title: String
  let series: [Series]
  var marks: [Mark] = []
  let xLabel: String
  let yLabel: String
  /// The function that turns a value of the vertical axis into a text with a number of significant
  /// digits.
  var yText: (_ value: Double, _ digits: Int) -> String
  var width = 800.0
  var height = 360.0
  /// The width of the column with the names of the curves, in pixels; nil if it has no names.
  var labelWidth: Double? = 184

  private let top = 30.0
  private let left = 62.0
  private let bottom = 46.0

  var html: String {
    guard Set(series.flatMap(\.points).map(\.x)).count > 1 else { return bars.html }
    var narrow = self
    (narrow.width, narrow.height, narrow.labelWidth) = (340, 300, nil)
    let names = series.map { one in
      "<li class=\"\(style(of: one))\">\(one.name.escaped)</li>"
    }
    return """
      <h3>\(title.escaped)</h3>
      \(svg("wide"))
      \(narrow.svg("narrow"))
      <ul class="legend narrow">\(names.joined())</ul>
      """
  }

  /// The right edge of the area for the curves, in pixels.
  private var plotEnd: Double { width - (labelWidth ?? 14) }

  /// The upper edge of the area for the curves, in pixels. The texts of the marks are above this
  /// edge.
  private var plotTop: Double { top + (marks.isEmpty ? 0 : Double(marks.count) * 15 + 4) }
}

extension LineChart {
  /// The chart in which each curve with a point has a bar.
  private var bars: BarChart {
    let x = series.flatMap(\.points).first.map { ", \(Int($0.x).grouped) \(xLabel)" } ?? ""
    let bars = series.compactMap { one in
      one.points.first.map {
        BarChart.Bar(name: one.name, value: $0.y, text: yText($0.y, 3))
      }
    }
    return BarChart(groups: [BarChart.Group(name: title + x, bars: bars)])
  }

  private func svg(_ form: String) -> String {
    let points = series.flatMap(\.points)
    let x = LogAxis(covering: points.map(\.x), from: left + 12, to: plotEnd - 12)
    let y = LogAxis(
      covering: points.map(\.y), from: height - bottom, to: plotTop, padding: 1.35)
    return """
      <svg class="\(form)" viewBox="0 0 \(width.pixels) \(height.pixels)" role="img" \
      aria-label="\(title.escaped)">
      \(frame(x, y))
      \(series.map { curve($0, x, y) }.joined(separator: "\n"))
      \(markers(x, y))
      \(labelWidth == nil ? "" : names(x, y))
      </svg>
      """
  }

  private func style(of one: Series) -> String {
    one.name.cssClass + (one.isDashed ? " dashed" : "")
  }

  private func frame(_ x: LogAxis, _ y: LogAxis) -> String {
    let (start, end, floor) = (left, plotEnd, height - bottom)
    var lines = [text(yLabel, 8, 14, "axis")]
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
    // There is no line through one point.
    let line = places.count > 1 ? "<polyline points=\"\(places.joined(separator: " "))\"/>" : ""
    return """
      <g class="\(style(of: one))">
      \(line)
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
      let start = plotEnd + 10
      // The line to the name would look like a curve beside a single point.
      let line =
        one.points.count < 2
        ? ""
        : """
        <path d="M\((across + 6).pixels) \(down.pixels)L\(start.pixels) \(place.pixels)"/>
        """
      return """
        <g class="name \(style(of: one))">
        \(line)
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
