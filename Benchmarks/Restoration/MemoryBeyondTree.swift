import Foundation
import Lineage

/// The `memory` case: the bytes that a restoration uses in addition to the responders and their
/// values.
///
/// They are the bytes of a restored tree minus the bytes of an equal tree that was made by hand.
/// They include the bytes of the archive. The size of the archive is the baseline.
@MainActor struct MemoryBeyondTree {
  let responders: Int
  let seed: UInt64

  var benchmark: BenchmarkCase {
    BenchmarkCase(
      suite: .restoration, name: "memory", parameters: [Parameter("responders", responders)],
      unit: .bytes, effort: .quick, baseline: "archive",
      subjects: [
        archive, subject("methods", MethodScreen.self), subject("properties", PropertyScreen.self),
      ],
      bars: ["methods", "properties"].map { .ratio(of: $0, to: "archive", atMost: 2) })
  }

  /// New states. They share no memory with the states of another call.
  private var states: [ScreenState] { ScreenState.states(responders, seed: seed) }

  private var archive: Subject {
    Subject(name: "archive") {
      let archive = try ScreenTree<MethodScreen>(states).archive()
      return Trial(
        answer: { ScreenTree<MethodScreen>(archive).states.answer },
        sample: { Double($0 * archive.count) })
    }
  }

  private func subject<Screen: StateScreen>(_ name: String, _: Screen.Type) -> Subject {
    Subject(name: name) {
      let archive = Data(try ScreenTree<Screen>(states).archive().bytes)
      return Trial(
        answer: { ScreenTree<Screen>(StateArchive(bytes: archive)).states.answer },
        sample: { iterations in
          let byHand = try bytes(iterations) {
            try ScreenTree<Screen>(byHand: states) {
              $0.restorationIdentifier = "screen \($1 % 10)"
            }.application
          }
          return bytes(iterations) {
            let tree = ScreenTree<Screen>(StateArchive(bytes: archive))
            // A property is decoded when it is first read, so all are read here.
            _ = tree.states.count
            return tree.application
          } - byHand
        })
    }
  }

  private func bytes<Made>(_ iterations: Int, _ make: () throws -> Made) rethrows -> Double {
    var total = 0
    for _ in 0..<iterations {
      let before = Heap.bytesInUse
      let made = try make()
      total += withExtendedLifetime(made) { Heap.bytesInUse - before }
    }
    return Double(total)
  }
}
