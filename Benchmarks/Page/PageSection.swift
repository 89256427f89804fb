/// A section of the page: a title, charts, and sentences on their results.
struct PageSection {
  let title: String
  /// The text before the charts, which describes the measured work.
  let introduction: String
  let figures: [Figure]

  /// A chart with the sentences that state its result in this run.
  struct Figure {
    /// The chart as HTML.
    let chart: String
    let sentence: String
    let isHalf: Bool

    init(_ chart: BarChart, sentence: String, isHalf: Bool = false) {
      (self.chart, self.sentence, self.isHalf) = (chart.html, sentence, isHalf)
    }

    /// Creates a figure with a table in place of a chart.
    init(_ title: String, _ table: TextTable, sentence: String) {
      chart = """
        <h3>\(title.escaped)</h3>
        <div class="scroll">\(table.html)</div>
        """
      (self.sentence, isHalf) = (sentence, false)
    }

    /// Creates a figure of curves. Its sentences also tell where the curves stand out.
    init(_ chart: LineChart, sentence: String, isHalf: Bool = false) {
      self.chart = chart.html
      self.sentence = ([sentence] + chart.remarks).filter { !$0.isEmpty }.joined(separator: " ")
      self.isHalf = isHalf
    }
  }

  var html: String {
    let drawn = figures.map { figure in
      """
      <figure\(figure.isHalf ? " class=\"half\"" : "")>
      \(figure.chart)
      <figcaption>\(figure.sentence.escaped)</figcaption>
      </figure>
      """
    }
    return """
      <section>
      <h2>\(title.escaped)</h2>
      <p>\(introduction.escaped)</p>
      <div class="figures">
      \(drawn.joined(separator: "\n"))
      </div>
      </section>
      """
  }
}

extension LineChart.Series {
  /// Returns one curve for each subject, with its medians by a numeric parameter. The curve is
  /// dashed if the subject is not the library.
  static func all(of measurements: [Measurement], by parameter: String) -> [Self] {
    measurements.subjects.map { subject in
      Self(
        name: subject, points: measurements.curve(of: subject, by: parameter),
        isDashed: !(Library.strategies.map(\.name) + ["Lineage"]).contains(subject))
    }
  }
}
