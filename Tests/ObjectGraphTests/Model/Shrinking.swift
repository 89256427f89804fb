/// Finds a short script that still fails, by leaving out steps (Zeller's delta debugging).
struct Shrinking {
  /// Whether a script still fails, and how.
  let failure: (Script) -> Disagreement?

  /// A script from which no single step can be left out, and its failure.
  func shrink(_ script: Script) -> (script: Script, disagreement: Disagreement)? {
    guard let first = failure(script) else { return nil }
    var best = (script: script, disagreement: first)
    var before: Int
    repeat {
      before = best.script.steps.count
      attempt(Array(best.script.steps.prefix(best.disagreement.step + 1)), &best)
      var size = max(before / 2, 1)
      while size > 0 {
        var start = 0
        while start < best.script.steps.count {
          var steps = best.script.steps
          steps.removeSubrange(start..<min(start + size, steps.count))
          if !attempt(steps, &best) { start += size }
        }
        size /= 2
      }
      unwrapGroups(&best)
    } while best.script.steps.count < before
    return best
  }

  private func unwrapGroups(_ best: inout (script: Script, disagreement: Disagreement)) {
    for (index, step) in best.script.steps.enumerated().reversed() {
      guard case .group(let inner, let context) = step else { continue }
      for leaving in inner.indices.reversed() {
        var steps = best.script.steps
        var rest = inner
        rest.remove(at: leaving)
        steps[index] = .group(rest, in: context)
        if !attempt(steps, &best, evenIfAsLong: true) { continue }
        return unwrapGroups(&best)
      }
    }
  }

  @discardableResult
  private func attempt(
    _ steps: [Step], _ best: inout (script: Script, disagreement: Disagreement),
    evenIfAsLong: Bool = false
  ) -> Bool {
    guard steps.count < best.script.steps.count || evenIfAsLong else { return false }
    var script = best.script
    script.steps = steps
    guard let failure = failure(script) else { return false }
    best = (script, failure)
    return true
  }
}
