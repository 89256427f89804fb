import Benchmarks
import LineageTestSupport
import Testing

@Testing.Suite("The benchmarks' page", .hangGuard)
struct PageTests {
  /// Returns the measurements of the `lookup` case: the medians of some subjects by depth.
  private func lookups(_ medians: [String: [Int: Double]]) -> [Measurement] {
    medians.sorted { $0.key < $1.key }.flatMap { subject, points in
      points.sorted { $0.key < $1.key }.map { depth, median in
        Measurement(
          suite: "resolution", case: "lookup", subject: subject,
          parameters: [Parameter("depth", depth), Parameter("providers", "0")], unit: .nanoseconds,
          statistics: Statistics([median]), baseline: "stored reference", ratio: 1)
      }
    }
  }

  private func page(
    _ measurements: [Measurement], effort: Effort = .standard, limit: Double = 1, skipped: Int = 0
  ) -> String {
    let benchmark = BenchmarkCase(
      suite: .resolution, name: "lookup",
      parameters: [Parameter("depth", 8), Parameter("providers", "0")], unit: .nanoseconds,
      effort: .quick, baseline: "stored reference", subjects: [],
      bars: [.median(of: "skipping", atMost: limit)])
    return ResultsPage(
      run: .current(seed: 1, effort: effort), measurements: measurements,
      findings: BarFinding.all(of: [benchmark], in: measurements), skipped: skipped
    ).html
  }

  @Test("It warns of the figures of a quick run, and of no other")
  func warning() {
    let measurements = lookups(["skipping": [8: 12]])
    let warning = "<p class=\"warning\">This was a quick run: 5 samples a figure"
    #expect(page(measurements, effort: .quick).contains(warning))
    for effort in [Effort.standard, .full] {
      #expect(!page(measurements, effort: effort).contains("This was a quick run"))
    }
  }

  @Test(
    "It begins with a verdict",
    arguments: [(12.0, "1 of 1 limits are kept."), (11, "0 of 1 limits are kept.")])
  func verdict(limit: Double, headline: String) throws {
    let measurements = lookups([
      "skipping": [1: 10, 8: 12], "stored reference": [1: 9, 8: 10],
      "weak recursion": [1: 30, 8: 240],
    ])
    let page = page(measurements, limit: limit)
    let top = try #require(page.split(separator: "<section>").first)
    #expect(top.contains("<h2>Verdict: \(headline)</h2>"))
    #expect(
      top.contains(
        """
        <li>A lookup over 8 hops takes 12.0 ns with skipping: 1.2× slower than stored reference, \
        20.0× faster than weak recursion.</li>
        """), "\(top)")
    let missed = "<li>lookup, skipping: 12.0 ns, the limit is 11 ns</li>"
    #expect(top.contains(missed) == (limit < 12))
  }

  @Test("It has a verdict even if no figure has a limit")
  func noLimit() {
    #expect(page([]).contains("<h2>No figure of this run has a limit.</h2>"))
  }

  @Test("There is no line and no “from … to …” through one point, but bars")
  func onePoint() {
    let one = page(lookups(["skipping": [8: 12], "chain": [8: 20]]))
    #expect(!one.contains("<polyline") && !one.contains("<svg") && !one.contains("From depth"))
    #expect(one.contains("<h3>Nobody on the way provides anything else, 8 hops to the root</h3>"))
    #expect(one.contains("<b>12.0 ns</b>") && one.contains("At depth 8, skipping takes 12.0 ns"))
  }

  @Test("A curve of one point beside a longer curve has a dot only")
  func shortCurve() {
    let page = page(lookups(["skipping": [1: 10, 8: 12], "chain": [8: 20]]))
    // One line in the wide form and one in the narrow form.
    #expect(page.split(separator: "<polyline").count == 3)
    // The line from the longer curve to its name.
    #expect(page.split(separator: "<path").count == 2)
    #expect(page.contains("<title>chain: 20.0 ns at 8 hops to the root</title>"))
    #expect(page.contains("From depth 1 to 8"))
  }

  @Test("A chart of curves has a wide form and a narrow form with a legend")
  func forms() {
    let page = page(lookups(["skipping": [1: 10, 8: 12]]))
    #expect(page.contains("<svg class=\"wide\" viewBox=\"0 0 800 "))
    #expect(page.contains("<svg class=\"narrow\" viewBox=\"0 0 340 "))
    #expect(
      page.contains("<ul class=\"legend narrow\"><li class=\"s-skipping\">skipping</li></ul>"))
  }

  @Test("A caption tells of a peak, and of a step that is steeper than proportional")
  func spikes() {
    let page = page(
      lookups([
        "baton": [1: 10, 8: 24, 64: 10], "chain": [1: 10, 8: 20, 64: 640],
        "skipping": [1: 10, 8: 12, 64: 12], "weak recursion": [1: 10, 8: 80, 64: 1600],
      ]))
    #expect(
      page.contains("A spike: baton takes 24.0 ns at 8 hops to the root, 2.4× its costlier"))
    #expect(
      page.contains(
        """
        From 8 to 64 hops to the root, a factor of 8.0, the cost rises steeply: chain by 32, weak \
        recursion by 20.
        """))
    #expect(!page.contains("A spike: skipping") && !page.contains("From 1 to 8 hops"))
  }
  @Test("A program in a terminal has a section, with bars for each number of cards")
  func app() {
    let measurements = [100, 100_000].flatMap { cards in
      [("poll loop", 100.0), ("FlashCards", 140)].map { subject, median in
        Measurement(
          suite: "app", case: "key to frame", subject: subject,
          parameters: [Parameter("cards", cards)], unit: .microseconds,
          statistics: Statistics([median]), baseline: "poll loop", ratio: median / 100)
      }
    }
    let page = page(measurements)
    #expect(page.contains("<h2>A program in a terminal</h2>"))
    for cards in ["100", "100,000"] {
      #expect(page.contains("<h3>key to frame, \(cards) cards</h3>"))
      #expect(
        page.contains(
          "With \(cards) cards, a key is in the next frame after 140 µs: 1.4× the loop’s 100 µs."))
    }
  }
}
