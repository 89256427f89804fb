/// The section on FlashCards, a whole program in a terminal.
struct AppSection {
  let measurements: [Measurement]

  private var app: [Measurement] { measurements.filter { $0.suite == Suite.app.rawValue } }

  var section: PageSection? {
    let figures = [
      figure("key to frame") { program, base, cards in
        """
        With \(cards) cards, a key is in the next frame after \(text(program)): \
        \(program.ratio.times) the loop’s \(text(base)).
        """
      },
      figure("search key") { program, base, cards in
        """
        With \(cards) cards, a digit typed into the search is shown after \(text(program)), and a \
        plain key after \(text(base)). The search goes on on another thread.
        """
      },
      figure("first find") { program, _, cards in
        "With \(cards) cards, the first cards that a search finds are shown after \(text(program))."
      },
      figure("key during a search") { program, _, cards in
        let worst = program.unit.spoken(program.statistics.p99)
        return """
          While \(cards) cards are searched, a key is in the next frame after \(text(program)), \
          and after \(worst) at the 99th percentile.
          """
      },
      figure("first frame") { program, base, cards in
        """
        With \(cards) cards, the first frame comes \(text(program)) after the start of the process, \
        and that of the loop \(text(base)).
        """
      },
      figure("memory") { program, base, cards in
        """
        With \(cards) cards, the process has \(text(program)) in memory, and the loop \
        \(text(base)).
        """
      },
    ].compactMap(\.self)
    guard !figures.isEmpty else { return nil }
    return PageSection(
      title: "A program in a terminal",
      introduction: """
        FlashCards shows a deck in a pseudo-terminal, in which the benchmark types. “poll loop” is the \
        least that a program can do: it waits for a key, and writes two rows of an array.
        """,
      figures: figures)
  }

  /// Returns the chart of a case, with a group of bars for each number of cards. The closure returns the
  /// sentence on the program and the baseline.
  private func figure(
    _ name: String, say: (_ program: Measurement, _ baseline: Measurement, String) -> String
  ) -> PageSection.Figure? {
    let chosen = app.of(name)
    let sizes = chosen.numbers(of: "cards")
    let sentences = sizes.compactMap { cards -> String? in
      let these = chosen.of(name, Parameter("cards", cards))
      guard let program = these.first(where: { $0.subject == "FlashCards" }) else { return nil }
      let base = these.first { $0.subject == $0.baseline } ?? program
      return say(program, base, cards.grouped)
    }
    guard !sentences.isEmpty else { return nil }
    let groups = sizes.map {
      BarChart.Group("\(name), \($0.grouped) cards", chosen.of(name, Parameter("cards", $0)))
    }
    return PageSection.Figure(
      BarChart(groups: groups), sentence: sentences.joined(separator: " "), isHalf: true)
  }

  private func text(_ measurement: Measurement) -> String {
    measurement.unit.spoken(measurement.median)
  }
}
