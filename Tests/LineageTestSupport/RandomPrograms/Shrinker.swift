/// A search for a short program that still fails. It removes steps (delta debugging by Zeller).
package struct Shrinker<Program: RandomProgram> {
  /// A function that runs a program. It returns the program up to the step that fails; nil if no
  /// step fails.
  package typealias Check = (Program) async throws -> Counterexample<Program>?

  private let check: Check
  private var best: Counterexample<Program>
  /// The number of steps that the search may still run. It is limited because programs on files are
  /// slow.
  private var budget = 100_000

  /// Returns a shorter program that fails, with its complaint. If the budget suffices, the failure
  /// needs each step of the result.
  package static func shrink(
    _ found: Counterexample<Program>, _ check: @escaping Check
  ) async throws -> Counterexample<Program> {
    var shrinker = Shrinker(check: check, best: found)
    var before: Int
    repeat {
      before = shrinker.best.program.weight
      try await shrinker.removeChunks()
      try await shrinker.simplify()
    } while shrinker.best.program.weight < before
    return shrinker.best
  }

  private init(check: @escaping Check, best: Counterexample<Program>) {
    (self.check, self.best) = (check, best)
  }

  /// Removes steps that the failure does not need: first in halves, then in quarters, at last
  /// single steps.
  private mutating func removeChunks() async throws {
    var size = max(best.program.steps.count / 2, 1)
    while true {
      var start = 0
      while start < best.program.steps.count {
        var program = best.program
        program.steps.removeSubrange(start..<min(start + size, program.steps.count))
        if try await !attempt(program) { start += size }
      }
      guard size > 1 else { return }
      size /= 2
    }
  }

  private mutating func simplify() async throws {
    var candidates = best.program.simpler
    var index = 0
    while index < candidates.count {
      if try await attempt(candidates[index]) {
        candidates = best.program.simpler
      } else {
        index += 1
      }
    }
  }

  /// Runs the program if it is smaller than the best one. A program that fails becomes the best
  /// one, and the result is true.
  private mutating func attempt(_ program: Program) async throws -> Bool {
    guard budget > 0, program.weight < best.program.weight else { return false }
    budget -= program.steps.count
    guard let found = try await check(program) else { return false }
    best = found
    return true
  }
}
