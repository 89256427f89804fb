/// A sequence of random steps that a test applies to the library and to an oracle.
///
/// Both must ignore a step that the present state does not allow, because the shrinker may remove
/// any step before it.
package protocol RandomProgram: CustomStringConvertible {
  associatedtype ProgramStep

  var steps: [ProgramStep] { get set }
  /// The size of the program: the number of its steps, or a sum that also counts the contents of
  /// steps.
  var weight: Int { get }
  /// Simpler programs that the shrinker tries after it has removed steps. Each has less weight than
  /// this one.
  var simpler: [Self] { get }
}

extension RandomProgram {
  package var weight: Int { steps.count }
  package var simpler: [Self] { [] }
}

/// A random program that fails at its last step.
package struct Counterexample<Program: RandomProgram> {
  package let program: Program
  package let complaint: String

  package init(_ program: Program, complaint: String) {
    (self.program, self.complaint) = (program, complaint)
  }

  /// Creates a counterexample from the steps up to the index of the failing step.
  package init(_ program: Program, failingAt step: Int, complaint: String) {
    var program = program
    program.steps = Array(program.steps.prefix(step + 1))
    self.init(program, complaint: complaint)
  }
}

extension Counterexample: Sendable where Program: Sendable {}
