#if Postgres
import Foundation
import LineageTestSupport
import PostgresStorage
import Testing

@Suite("The record of what was told")
struct NewsRecordTests {
  /// The steps to a state, the last one first.
  private indirect enum Path {
    case start
    case after(Path, NewsModel.Step)

    var steps: [NewsModel.Step] {
      switch self {
      case .start: []
      case .after(let path, let step): path.steps + [step]
      }
    }
  }

  /// Visits each state that a model can reach, once.
  private func visit(_ start: NewsModel) -> (states: Int, wrong: String?) {
    var seen: Set<Int> = [start.hashValue]
    var open: [(model: NewsModel, path: Path)] = [(start, .start)]
    while let (model, path) = open.popLast() {
      let steps = model.steps
      if steps.isEmpty, let wrong = model.wrongAtEnd() {
        return (seen.count, "\(wrong): \(path.steps)")
      }
      for step in steps {
        var next = model
        if let wrong = next.take(step) {
          return (seen.count, "\(wrong): \(Path.after(path, step).steps)")
        }
        if seen.insert(next.hashValue).inserted { open.append((next, .after(path, step))) }
      }
    }
    return (seen.count, nil)
  }

  @Test(
    "misses nothing and tells nothing twice, in every order of three commits and two polls",
    .disabled(if: isSanitized, "millions of states of a value, which shares no memory"),
    arguments: NewsModel.Misfortune.allCases)
  func orders(_ misfortune: NewsModel.Misfortune) {
    let isLong = ProcessInfo.processInfo.environment["LINEAGE_LONG"] != nil
    let (states, wrong) = visit(
      NewsModel(misfortune, polls: 2, asksAtOnce: !isLong && misfortune != .none))
    print("News, \(misfortune): \(states) states")
    #expect(wrong == nil)
    #expect(states > 1_000)
  }
}
#endif
