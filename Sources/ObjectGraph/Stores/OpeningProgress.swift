/// The progress of opening a store: the current step of a migration.
public struct OpeningProgress: Sendable, Hashable {
  /// The name of the current step.
  public let step: String
  /// The number of the current step, counted from one.
  public let number: Int
  /// The total number of steps.
  public let count: Int

  /// Creates the progress of one of several steps.
  public init(step: String, number: Int, count: Int) {
    self.step = step
    self.number = number
    self.count = count
  }
}
