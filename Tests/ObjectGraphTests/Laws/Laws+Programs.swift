import LineageTestSupport
import ObjectGraph

extension Laws {
  /// Runs the random program of a seed, with a planted fault if one is given. Returns the steps up
  /// to the first disagreement with the laws; nil if there is none.
  static func run(
    seed: UInt64, steps: Int, _ fault: Sabotage? = nil,
    on open: () async throws -> any ObjectStore
  ) async throws -> Counterexample<Program>? {
    var generator = Generator(seed: seed)
    let setting = generator.setting()
    let store = try await open()
    return try run(setting, fault, on: store) { world, done in
      done < steps ? generator.step(in: world) : nil
    }
  }

  /// Returns the random program of a seed. Its steps are drawn with the oracle alone, without the
  /// library.
  static func program(seed: UInt64, steps: Int) -> Program {
    var generator = Generator(seed: seed)
    var program = Program(setting: generator.setting(), steps: [])
    var world = World(program.setting)
    while program.steps.count < steps {
      guard let step = world.allowed(generator.step(in: world)),
        let next = world.performing(step).first
      else { continue }
      program.steps.append(step)
      world = next.world
    }
    return program
  }

  /// Runs a program. Returns its steps up to the first disagreement with the laws; nil if there is
  /// none.
  static func run(
    _ program: Program, on open: () async throws -> any ObjectStore
  ) async throws -> Counterexample<Program>? {
    var rest = program.steps[...]
    let store = try await open()
    return try run(program.setting, on: store) { _, _ in rest.popFirst() }
  }

  /// Runs the steps that `next` returns, until `next` returns nil. The arguments of `next` are the
  /// world and the number of steps that were done.
  ///
  /// - Returns: The steps up to the first disagreement with the laws; nil if there is none.
  private static func run(
    _ setting: Setting, _ fault: Sabotage? = nil, on store: any ObjectStore,
    next: (World, Int) -> Step?
  ) throws -> Counterexample<Program>? {
    var done = Program(setting: setting, steps: [])
    do {
      let session = try Session(setting, fault, on: store)
      while let step = next(session.world, done.steps.count) {
        guard let step = session.world.allowed(step) else { continue }
        done.steps.append(step)
        try session.perform(step)
      }
      return nil
    } catch let disagreement as Disagreement {
      return Counterexample(done, complaint: disagreement.description)
    } catch let error as GraphError {
      return Counterexample(done, complaint: "a read threw: \(error)")
    }
  }
}

extension Laws.Program: RandomProgram {
  var weight: Int {
    steps.reduce(setting.weight) { sum, step in
      if case .group(_, let inner) = step { sum + 1 + inner.count } else { sum + 1 }
    }
  }

  var simpler: [Laws.Program] {
    setting.simpler.map { Laws.Program(setting: $0, steps: steps) }
      + steps.indices.flatMap { index -> [Laws.Program] in
        guard case .group(let context, let parts) = steps[index] else { return [] }
        let shorter = parts.indices.map { leaving in
          Laws.Step.group(
            context, parts.enumerated().filter { $0.offset != leaving }.map(\.element))
        }
        return (parts + shorter).map { replacement in
          var program = self
          program.steps[index] = replacement
          return program
        }
      }
  }
}

extension Laws.Setting {
  /// The number of values and options that ``simpler`` can remove.
  fileprivate var weight: Int {
    rows.reduce(0) { sum, row in sum + row.properties.count { row[$0] != 0 } }
      + lists.reduce(0) { $0 + $1.count } + recordsUndo.count { $0 } + (holdsAll ? 0 : 1)
  }

  /// All settings that have one value or option less.
  fileprivate var simpler: [Laws.Setting] {
    var all: [Laws.Setting] = []
    func add(_ change: (inout Laws.Setting) -> Void) {
      var setting = self
      change(&setting)
      all.append(setting)
    }
    for context in recordsUndo.indices { add { $0.recordsUndo[context] = false } }
    for context in lists.indices {
      for list in lists[context].indices.reversed() { add { $0.lists[context].remove(at: list) } }
    }
    add { $0.holdsAll = true }
    for index in rows.indices {
      for property in rows[index].properties { add { $0.rows[index][property] = 0 } }
    }
    return all
  }
}
