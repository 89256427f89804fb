/// A section of the page: a title, charts, and sentences on their results.
struct PageSection {
  let title: String
  /// The text before the charts, which describes the measured work.
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
