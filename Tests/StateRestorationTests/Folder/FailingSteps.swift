import LineageFiles
import Synchronization

/// A probe that fails some calls of one kind.
final class FailingSteps: Sendable {
  private let count = Atomic(0)
  private let step: FileStep
  private let failing: Range<Int>
  private let number: Int32

  /// Makes a probe that fails calls of a step with an error number. The calls are counted from
  /// zero.
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
