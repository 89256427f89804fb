/// A sequence of random steps that a test does to the library and to an oracle.
///
/// A step that makes no sense where it lands is passed over in silence by both, because the shrinker
/// removes any step.
package protocol RandomProgram: CustomStringConvertible {
  associatedtype ProgramStep

  var steps: [ProgramStep] { get set }
  /// The size of the program, also of what lies inside its steps.
  var weight: Int { get }
  /// The programs to try in place of this one when no step can be left out, each of less weight.
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

  /// Cuts the program after the step of an index, at which it fails.
  package init(_ program: Program, failingAt step: Int, complaint: String) {
    var program = program
    program.steps = Array(program.steps.prefix(step + 1))
    self.init(program, complaint: complaint)
  }
}

extension Counterexample: Sendable where Program: Sendable {}
