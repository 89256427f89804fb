import LineageTestSupport
import ObjectGraph

/// The first step of a program at which the library differs from the oracle.
struct Disagreement: CustomStringConvertible {
  let step: Int
  let what: String
  let expected: String
  let actual: String

  var description: String {
    "after step \(step + 1), \(what):\n  oracle:  \(expected)\n  library: \(actual)"
  }

  /// Runs a script on a store. Returns the first disagreement; nil if there is none.
  static func first(in script: Script, on store: any ObjectStore) -> Disagreement? {
    let oracle = Oracle()
    let subject = Subject(store, holds: script.holds)
    for (index, step) in script.steps.enumerated() {
      let expected = oracle.perform(step)
      let actual = subject.perform(step)
      if expected != actual {
        return Disagreement(step: index, what: "result", expected: expected, actual: actual)
      }
      guard subject.checkInvariants() else {
        return Disagreement(step: index, what: "identity map", expected: "sound", actual: "not")
      }
      // The whole state is compared after every eighth step, and at the end.
      guard index % 8 == 7 || index == script.steps.count - 1 else { continue }
      if let difference = difference(oracle, subject, index) { return difference }
      do {
        guard let complaint = try subject.followingComplaint() else { continue }
        return Disagreement(step: index, what: "following", expected: "", actual: complaint)
      } catch {
        return Disagreement(step: index, what: "following", expected: "", actual: "\(error)")
      }
    }
    return nil
  }

  /// Runs a script on a store. Returns its steps up to the first disagreement; nil if there is
  /// none.
  static func counterexample(
    in script: Script, on store: any ObjectStore
  ) -> Counterexample<Script>? {
    first(in: script, on: store).map {
      Counterexample(script, failingAt: $0.step, complaint: "\($0)")
    }
  }

  private static func difference(
    _ oracle: Oracle, _ subject: Subject, _ index: Int
  ) -> Disagreement? {
    for context in oracle.levels.keys.sorted() {
      let (expected, actual) = (oracle.summary(context), subject.summary(context))
      if expected != actual {
        return Disagreement(step: index, what: "c\(context)", expected: expected, actual: actual)
      }
      guard let found = subject.contexts[context] else { continue }
      for number in oracle.kinds.keys.sorted() {
        let expected = oracle.shown(number, context).map(\.description) ?? "nothing"
        let actual: String
        do {
          actual = try subject.shown(number, found).map(\.description) ?? "nothing"
        } catch {
          actual = "\(error)"
        }
        guard expected != actual else { continue }
        return Disagreement(
          step: index, what: "o\(number) in c\(context)", expected: expected, actual: actual)
      }
    }
    return nil
  }
}
