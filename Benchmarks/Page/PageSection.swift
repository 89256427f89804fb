/// A question, its charts, and what they show.
struct PageSection {
  let title: String
  /// Said before the charts: what was done.
  let introduction: String
  let figures: [Figure]

  /// A chart with the sentence that states what it shows in this run.
  struct Figure {
    let svg: String
    let sentence: String
    var isHalf = false
  }

  var html: String {
    let drawn = figures.map { figure in
      """
      <figure\(figure.isHalf ? " class=\"half\"" : "")>
      \(figure.svg)
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
  /// The subjects' medians by a parameter; those outside the library are dashed.
  static func all(of measurements: [Measurement], by parameter: String) -> [Self] {
    measurements.subjects.map { subject in
      Self(
        name: subject, points: measurements.curve(of: subject, by: parameter),
        isDashed: !["baton", "skipping", "chain", "Lineage"].contains(subject))
    }
  }
}
