import Testing

@Suite("What two strikes leave out")
struct StrikeModelTests {
  typealias Place = StrikeModel.Place

  private static let a = Place.record(["a"])
  private static let b = Place.record(["b"])
  private static let c = Place.record(["c"])

  /// A row of the table: the events, and the part that the launch after them restores.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let events: [StrikeModel.Event]
    let next: StrikeModel.Extent

    init(_ name: String, _ events: [StrikeModel.Event], _ next: StrikeModel.Extent) {
      (testDescription, self.events, self.next) = (name, events, next)
    }
  }

  /// Returns the ends of launches in the given places.
  private static func ends(_ places: Place...) -> [StrikeModel.Event] { places.map { .end($0) } }

  static let records: [Row] = [
    Row("nothing", [], .all(without: [])),
    Row("A", ends(a), .all(without: [])),
    Row("A, A", ends(a, a), .all(without: [a])),
    Row("A, B", ends(a, b), .all(without: [])),
    Row("A, B, A, B", ends(a, b, a, b), .all(without: [a, b])),
    Row("A, A, B, B", ends(a, a, b, b), .all(without: [a, b])),
    Row("five ends", ends(a, a, b, b, c), .application),
    Row("six ends", ends(a, a, b, b, c, c), .nothing),
    Row("seven ends", ends(a, a, b, b, c, c, .asking), .all(without: [])),
    Row("five ends, good", ends(a, a, b, b, c) + [.good], .all(without: [a, b])),
    Row("five ends, good, C", ends(a, a, b, b, c) + [.good, .end(c)], .all(without: [a, b, c])),
    Row("A, good, A", [.end(a), .good, .end(a)], .all(without: [])),
    Row("A, A, good", ends(a, a) + [.good], .all(without: [a])),
    Row("A, then B after A", [.end(a), .end(b, after: [a]), .end(a)], .all(without: [])),
    Row("application twice", ends(.record([]), .record([])), .all(without: [.record([])])),
  ]

  static let phases: [Row] = [
    Row("ask", ends(.asking), .all(without: [])),
    Row("ask twice", ends(.asking, .asking), .all(without: [.asking])),
    Row("prefetch", ends(.prefetching), .all(without: [.prefetching])),
    Row("prefetch, good", ends(.prefetching) + [.good], .all(without: [.prefetching])),
    Row("didDecode", ends(.decoded), .all(without: [])),
    Row("didDecode twice", ends(.decoded, .decoded), .application),
    Row("onReport twice", ends(.reported, .reported), .application),
    Row("onReport twice, good", ends(.reported, .reported) + [.good], .application),
    Row("didDecode, onReport", ends(.decoded, .reported), .all(without: [])),
    Row("unconfirmed twice", ends(.unconfirmed, .unconfirmed), .application),
  ]

  static let again: [Row] = [
    Row("A, quit", [.end(a), .quit(), .end(a)], .all(without: [a])),
    Row("four ends, quit, end", ends(a, a, b, b) + [.quit(), .end(c)], .application),
    Row("A, quit after A, A", [.end(a), .quit(after: [a]), .end(a)], .all(without: [])),
    Row("A, A, version", ends(a, a) + [.otherVersion], .all(without: [])),
    Row("A, A, version, A", ends(a, a) + [.otherVersion, .end(a)], .all(without: [a])),
    Row("A, version, A", [.end(a), .otherVersion, .end(a)], .all(without: [])),
    Row("six ends, version", ends(a, a, b, b, c, c) + [.otherVersion], .all(without: [])),
    Row("A, A, retry A", ends(a, a) + [.retry(a)], .all(without: [])),
    Row("A, A, retry A, A", ends(a, a) + [.retry(a), .end(a)], .all(without: [a])),
    Row(
      "A, A, retry A, good, A", ends(a, a) + [.retry(a), .good, .end(a)], .all(without: [])),
    Row("A, A, B, B, retry B", ends(a, a, b, b) + [.retry(b)], .all(without: [a])),
    Row("A, A, B, B, retry all", ends(a, a, b, b) + [.retryAll], .all(without: [])),
    Row("prefetch, version", ends(.prefetching) + [.otherVersion], .all(without: [])),
  ]

  @Test("The model follows its table", arguments: records + phases + again)
  func table(_ row: Row) {
    var model = StrikeModel()
    for event in row.events { model.note(event) }
    #expect(model.next == row.next)
  }

  @Test("Each seven ends in a row reach a launch that restores nothing, and then all comes back")
  func sevenEnds() {
    let places = [Self.a, Self.b, .prefetching, .reported]
    var steps = 0
    for number in 0..<16_384 {
      var (model, rest, restored) = (StrikeModel(), number, [StrikeModel.Extent]())
      for _ in 0..<7 {
        model.note(.end(places[rest % 4]))
        rest /= 4
        restored.append(model.next)
        steps += 1
      }
      guard restored[4] == .application, restored[5] == .nothing,
        restored[6] == .all(without: [])
      else {
        Issue.record("Sequence \(number): \(restored)")
        return
      }
    }
    #expect(steps == 7 * 16_384)
  }
}
