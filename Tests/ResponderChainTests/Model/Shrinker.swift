/// Finds a short program that still fails, by leaving out steps (Zeller's delta debugging).
struct Shrinker {
  /// Whether a program still fails, and how.
  let failure: (Program) -> Disagreement?

  /// A program from which no single step can be left out, and its failure.
  func shrink(_ program: Program) -> (program: Program, disagreement: Disagreement)? {
    guard let first = failure(program) else { return nil }
    var best = (program: program, disagreement: first)
    var before: Int
    repeat {
      before = weight(best.program.operations)
      cutTail(&best)
      removeChunks(&best)
      simplifySteps(&best)
    } while weight(best.program.operations) < before
    return best
  }

  private typealias Best = (program: Program, disagreement: Disagreement)

  /// What comes after the first difference does not matter.
  private func cutTail(_ best: inout Best) {
    let end = best.disagreement.step + 1
    guard end < best.program.operations.count else { return }
    attempt(Array(best.program.operations[..<end]), &best)
  }

  /// Leaves out halves, then quarters, at last single steps.
  private func removeChunks(_ best: inout Best) {
    var size = max(best.program.operations.count / 2, 1)
    while true {
      var start = 0
      while start < best.program.operations.count {
        var steps = best.program.operations
        steps.removeSubrange(start..<min(start + size, steps.count))
        if !attempt(steps, &best) { start += size }
      }
      guard size > 1 else { return }
      size /= 2
    }
  }

  /// Replaces steps by simpler ones: without a script, with less in a batch, without the batch.
  private func simplifySteps(_ best: inout Best) {
    var index = 0
    while index < best.program.operations.count {
      let isSimplified = simpler(best.program.operations[index]).contains { replacement in
        var steps = best.program.operations
        steps.replaceSubrange(index...index, with: replacement)
        return attempt(steps, &best)
      }
      if !isSimplified { index += 1 }
    }
  }

  private func simpler(_ step: Operation) -> [[Operation]] {
    switch step {
    case .batch(let steps):
      let shorter = steps.indices.map { index in
        Operation.batch(steps.enumerated().filter { $0.offset != index }.map(\.element))
      }
      return [steps] + (steps.count > 1 ? shorter.map { [$0] } : [])
    case .observe(let observer, let node, let key, let script?, let delay):
      let without = Operation.observe(observer, on: node, key: key, script: nil, delay: 0)
      return [[without], [script, without], [without, script]]
        + simpler(script).filter { $0.count == 1 }.map {
          [.observe(observer, on: node, key: key, script: $0[0], delay: delay)]
        }
    default: return []
    }
  }

  @discardableResult
  private func attempt(_ steps: [Operation], _ best: inout Best) -> Bool {
    var program = best.program
    program.operations = steps
    guard weight(steps) < weight(best.program.operations), let failure = failure(program) else {
      return false
    }
    best = (program, failure)
    return true
  }

  /// Counts steps inside others too, and what is around them, so that unwrapping is progress.
  private func weight(_ steps: [Operation]) -> Int {
    steps.reduce(0) { sum, step in
      switch step {
      case .batch(let inner): sum + 1 + weight(inner)
      case .observe(_, _, _, let script?, _): sum + 3 + weight([script])
      default: sum + 2
      }
    }
  }
}
