/// A section of the page: a title, charts, and sentences on their results.
struct PageSection {
  let title: String
  /// The text before the charts, which says what was done.
  let introduction: String
  let figures: [Figure]

  /// A chart with the sentence that states its result in this run.
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
  /// Returns a curve of each subject's medians by a parameter. Curves of subjects outside the
  /// library are dashed.
  static func all(of measurements: [Measurement], by parameter: String) -> [Self] {
    measurements.subjects.map { subject in
      Self(
        name: subject, points: measurements.curve(of: subject, by: parameter),
        isDashed: !(Library.strategies.map(\.name) + ["Lineage"]).contains(subject))
    }
  }
}
