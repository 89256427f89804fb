import Foundation
import Lineage

/// The cases `guard` and `guard, read properties`, in which trees are restored with and without the
/// crash guard.
@MainActor struct GuardCases {
  let responders: Int
  let seed: UInt64

  var all: [BenchmarkCase] {
    [
      makeCase(
        "guard", MethodScreen.self, reads: false,
        [.ratio(of: "with guard", to: "without guard", atMost: 1.02)]),
      makeCase("guard, read properties", PropertyScreen.self, reads: true, []),
    ]
  }

  private func makeCase<Screen: StateScreen>(
    _ name: String, _: Screen.Type, reads: Bool, _ bars: [Bar]
  ) -> BenchmarkCase {
    func subject(_ name: String, isGuarded: Bool) -> Subject {
      Subject(name: name) {
        let states = ScreenState.states(responders, seed: seed)
        let archive = try ScreenTree<Screen>(states).archive()
        let page = PageFile()
        @MainActor func tree() -> ScreenTree<Screen> {
          ScreenTree<Screen>(archive, guardedIn: isGuarded ? page.url : nil)
        }
        return Trial(
          answer: { tree().states.answer },
          sample: {
            Stopwatch.nanoseconds($0) { () -> ScreenTree<Screen> in
              let tree = tree()
              if reads { _ = tree.states.count }
              return tree
            }
          })
      }
    }
    return BenchmarkCase(
      suite: .restoration, name: name, parameters: [Parameter("responders", responders)],
      unit: .milliseconds, effort: .quick, baseline: "without guard",
      subjects: [
        subject("without guard", isGuarded: false), subject("with guard", isGuarded: true),
      ],
      bars: bars)
  }
}

/// The file of a crash guard's page. The deinit of this object removes the file.
private final class PageFile {
  let url = FileManager.default.temporaryDirectory
    .appending(path: "lineage-guard-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: url) }
}
