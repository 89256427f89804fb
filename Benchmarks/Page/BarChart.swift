/// A chart of horizontal bars in named groups, as HTML. All bars begin at zero.
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

  let groups: [Group]

  var html: String {
    let most = max(groups.flatMap(\.bars).map(\.value).max() ?? 0, .leastNormalMagnitude)
    return groups.map { group in
      """
      <h3>\(group.name.escaped)</h3>
      <div class="bars">
      \(group.bars.map { row($0, share: $0.value / most) }.joined(separator: "\n"))
      </div>
      """
    }.joined(separator: "\n")
  }

  private func row(_ bar: Bar, share: Double) -> String {
    """
    <div class="bar \(bar.name.cssClass)"><span>\(bar.name.escaped)</span>\
    <span class="track"><i style="--share: \(max(share, 0).formatted(digits: 3))"></i>\
    <b>\(bar.text.escaped)</b></span></div>
    """
  }
}

extension BarChart.Group {
  /// Creates a group with one bar for each measurement. The bar shows the median.
  init(_ name: String, _ measurements: [Measurement], naming: KeyPath<Measurement, String>) {
    self.name = name
    bars = measurements.map {
      BarChart.Bar(
        name: $0[keyPath: naming], value: $0.median, text: $0.unit.spoken($0.median))
    }
  }

  /// Creates a group with one bar for each subject.
  init(_ name: String, _ measurements: [Measurement]) {
    self.init(name, measurements, naming: \.subject)
  }
}
