import LineageTestSupport

/// A random program in nested contexts.
struct Script: RandomProgram {
  var seed: UInt64
  /// Whether the program retains all objects in all contexts. Otherwise contexts retain only
  /// changed objects.
  var holds: Bool
  var steps: [Step]

  var description: String {
    (["// seed \(seed), \(holds ? "all" : "no") objects held, let c0 = store.makeContext()"]
      + steps.map(\.description)).joined(separator: "\n")
  }

  var weight: Int {
    steps.reduce(0) { sum, step in
      if case .group(let inner, _) = step { sum + 1 + inner.count } else { sum + 1 }
    }
  }

  /// The scripts in which one group has one step less, or is replaced by its steps.
  var simpler: [Script] {
    steps.indices.flatMap { index -> [Script] in
      guard case .group(let inner, let context) = steps[index] else { return [] }
      let shorter = inner.indices.map { leaving in
        [Step.group(inner.enumerated().filter { $0.offset != leaving }.map(\.element), in: context)]
      }
      return ([inner] + shorter).map { replacement in
        var script = self
        script.steps.replaceSubrange(index...index, with: replacement)
        return script
      }
    }
  }
}
