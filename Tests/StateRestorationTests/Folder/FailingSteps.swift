import LineageFiles
import Synchronization

/// A probe that lets some calls of one step fail.
final class FailingSteps: Sendable {
  private let count = Atomic(0)
  private let step: FileStep
  private let failing: Range<Int>
  private let number: Int32

  /// Makes a probe that lets some calls of a step fail with an error number. The range has the
  /// indices of these calls among all calls of the step, counted from zero.
  init(_ step: FileStep, _ failing: Range<Int>, _ number: Int32) {
    self.step = step
    self.failing = failing
    self.number = number
  }

  /// The number of calls of the step so far.
  var calls: Int { count.load(ordering: .relaxed) }

  @Sendable func probe(_ step: FileStep) -> Int32 {
    guard step == self.step else { return 0 }
    return failing.contains(count.add(1, ordering: .relaxed).oldValue) ? number : 0
  }
}
