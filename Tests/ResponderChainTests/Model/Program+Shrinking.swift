import LineageTestSupport

extension Program: RandomProgram {
  var weight: Int { steps.reduce(0) { $0 + $1.weight } }

  var simpler: [Program] {
    steps.indices.flatMap { index in
      steps[index].simpler.map { replacement in
        var program = self
        program.steps.replaceSubrange(index...index, with: replacement)
        return program
      }
    }
  }
}

extension Operation {
  /// The size of the step. The size of a step with inner steps is more than the sum of their sizes,
  /// so unwrapping the inner steps makes the program smaller. Some steps are smaller at the
  /// application than elsewhere, because the application needs no place in the tree.
  fileprivate var weight: Int {
    switch self {
    case .batch(let inner): inner.reduce(1) { $0 + $1.weight }
    case .observe(_, let node, _, let script, _):
      (node == 0 ? 2 : 3) + (script.map { 1 + $0.weight } ?? 0)
    case .observeFirst(_, let node, _, let script, _):
      (node == 0 ? 4 : 5) + (script.map { 1 + $0.weight } ?? 0)
    case .insert(_, let parent, _): parent == 0 ? 2 : 3
    case .atEnd(_, _, let step): 1 + step.weight
    default: 2
    }
  }

  /// The replacements that the shrinker tries for this step, each a list of steps. For example,
  /// they have no script or fewer steps in a batch.
  fileprivate var simpler: [[Operation]] {
    switch self {
    case .batch(let steps):
      let shorter = steps.indices.map { index in
        Operation.batch(steps.enumerated().filter { $0.offset != index }.map(\.element))
      }
      return [steps] + (steps.count > 1 ? shorter.map { [$0] } : [])
    case .observe(let observer, let node, let key, let script?, let delay):
      let without = Operation.observe(observer, on: node, key: key, script: nil, delay: 0)
      return [[without], [script, without], [without, script]]
        + script.simpler.filter { $0.count == 1 }.map {
          [.observe(observer, on: node, key: key, script: $0[0], delay: delay)]
        }
    case .observe(let observer, let node, let key, nil, let delay) where node != 0:
      return [[.observe(observer, on: 0, key: key, script: nil, delay: delay)]]
    case .observeFirst(let observer, let node, let key, let script, let delay):
      let ordinary = Operation.observe(observer, on: node, key: key, script: script, delay: delay)
      let shorter = (script?.simpler ?? []).filter { $0.count == 1 }.map(\.first) + [nil]
      return [[ordinary]]
        + (script == nil ? [] : shorter).map {
          [.observeFirst(observer, on: node, key: key, script: $0, delay: delay)]
        }
    case .insert(let child, let parent, let index) where parent != 0:
      return [[.insert(child, under: 0, at: index)]]
    case .atEnd(let stage, let work, let step):
      return [[step]]
        + step.simpler.filter { $0.count == 1 }.map { [.atEnd(stage, work: work, $0[0])] }
    default: return []
    }
  }
}
