import LineageTestSupport
import ObjectGraph

extension Laws {
  /// A program that disagrees with the laws.
  struct Counterexample {
    var program: Program
    var disagreement: String
  }

  /// Runs a random program of a seed; its steps up to the first disagreement, if there is one.
  static func run(
    seed: UInt64, steps: Int, on open: () async throws -> any ObjectStore
  ) async throws -> Counterexample? {
    var generator = Generator(seed: seed)
    var program = Program(setting: generator.setting(), steps: [])
    do {
      let session = try Session(program.setting, on: try await open())
      while program.steps.count < steps {
        guard let step = session.world.allowed(generator.step(in: session.world)) else { continue }
        program.steps.append(step)
        try session.perform(step)
      }
      return nil
    } catch let disagreement as Disagreement {
      return Counterexample(program: program, disagreement: disagreement.description)
    } catch let error as GraphError {
      return Counterexample(program: program, disagreement: "a read threw: \(error)")
    }
  }

  /// Runs a program; the counterexample up to where it disagrees, if it does.
  static func run(
    _ program: Program, on open: () async throws -> any ObjectStore
  ) async throws -> Counterexample? {
    var done = Program(setting: program.setting, steps: [])
    do {
      let session = try Session(program.setting, on: try await open())
      for step in program.steps {
        guard let step = session.world.allowed(step) else { continue }
        done.steps.append(step)
        try session.perform(step)
      }
      return nil
    } catch let disagreement as Disagreement {
      return Counterexample(program: done, disagreement: disagreement.description)
    } catch let error as GraphError {
      return Counterexample(program: done, disagreement: "a read threw: \(error)")
    }
  }

  /// A shorter program that still disagrees.
  static func shrink(
    _ found: Counterexample, on open: () async throws -> any ObjectStore
  ) async throws -> Counterexample {
    var least = found
    var size = max(least.program.steps.count / 2, 1)
    var steps = 0
    while steps < 60_000 {
      var start = 0
      var isShorter = false
      while start < least.program.steps.count {
        var program = least.program
        program.steps.removeSubrange(start..<min(start + size, program.steps.count))
        steps += program.steps.count
        if let found = try await run(program, on: open),
          found.program.steps.count < least.program.steps.count
        {
          least = found
          isShorter = true
        } else {
          start += size
        }
      }
      if size == 1 && !isShorter { break }
      size = max(size / 2, 1)
    }
    for program in simpler(least.program) {
      if let found = try await run(program(least.program), on: open) { least = found }
    }
    return least
  }

  /// Simpler settings and steps to try.
  private static func simpler(_ program: Program) -> [(Program) -> Program] {
    var all: [(Program) -> Program] = []
    for context in 0..<4 {
      all.append {
        var program = $0
        program.setting.recordsUndo[context] = false
        return program
      }
      for list in program.setting.lists[context].indices.reversed() {
        all.append {
          var program = $0
          program.setting.lists[context].remove(at: list)
          return program
        }
      }
    }
    all.append {
      var program = $0
      program.setting.holdsAll = true
      return program
    }
    for index in program.setting.rows.indices {
      for property in program.setting.rows[index].properties {
        all.append {
          var program = $0
          program.setting.rows[index][property] = 0
          return program
        }
      }
    }
    for index in program.steps.indices {
      guard case .group(_, let steps) = program.steps[index] else { continue }
      for part in steps {
        all.append {
          var program = $0
          if program.steps.indices.contains(index) { program.steps[index] = part }
          return program
        }
      }
    }
    return all
  }
}
