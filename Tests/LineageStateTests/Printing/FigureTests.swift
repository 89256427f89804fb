import Foundation
import LineageState
import LineageTestSupport
import Testing

@Suite("Dates and numbers")
struct FigureTests {
  @Test("Dates are those of Foundation")
  func dates() {
    var random = SplitMix64(seed: SplitMix64.seed(7))
    let style = Date.ISO8601FormatStyle()
    for _ in 0..<2_000 {
      let seconds = Double(random.below(315_537_897_599)) - 63_113_900_000
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      // Before 1582, Foundation uses the Julian calendar, but ISO 8601 the Gregorian one.
      guard seconds > -13_000_000_000, seconds < 252_423_993_599 else { continue }
      #expect(DateText.text(seconds) == date.formatted(style), "\(seconds)")
    }
    #expect(DateText.text(0) == "2001-01-01T00:00:00Z")
    #expect(DateText.text(-0.001) == "2000-12-31T23:59:59.999Z")
    #expect(DateText.text(252_423_993_598.5) == "9999-12-31T23:59:58.500Z")
    for seconds in [.nan, .infinity, -.infinity, 1e300, -1e300, 252_423_993_599] {
      #expect(DateText.text(seconds) == nil)
    }
  }

  @Test("Bytes and counts are short")
  func figures() {
    #expect(
      [0, 999, 1_000, 12_345, 999_999, 1_000_000].map { Bytes.text($0) }
        == ["0 B", "999 B", "1.0 kB", "12.3 kB", "999.9 kB", "1.0 MB"])
    #expect(Bytes.text(64_000_000_000_000) == "64000.0 GB")
    #expect(
      [0, 999, 1_000, 1_234_567, -1_000].map { NumberText.text($0) }
        == ["0", "999", "1,000", "1,234,567", "-1,000"])
    #expect(NumberText.text(1, "record") == "1 record")
    #expect(NumberText.text(0, "record") == "0 records")
    #expect(NumberText.text(2, "launch") == "2 launches")
  }
}
