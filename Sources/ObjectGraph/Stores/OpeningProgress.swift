/// The point that an opening has reached.
public struct OpeningProgress: Sendable, Hashable {
  /// The step under way, as a migration names it.
  public let step: String
  /// The number of the step, from one.
  public let number: Int
  /// The number of steps.
  public let count: Int

  /// One step of several.
  public init(step: String, number: Int, count: Int) {
    self.step = step
    self.number = number
    self.count = count
  }
}
