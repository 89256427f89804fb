/// A context that could not be had: its state, and the explanation.
public struct ContextError: Error, CustomStringConvertible {
  /// Why there is no value.
  public let state: Resolution<Never>
  /// Whether a deadline passed while waiting.
  public let isOverdue: Bool
  /// An explanation that names who asked, the way of the lookup, and what would help.
  public let explanation: Explanation

  init<Value>(
    _ resolution: Resolution<Value>, _ explanation: Explanation, isOverdue: Bool = false
  ) {
    self.explanation = explanation
    self.isOverdue = isOverdue
    state =
      switch resolution {
      case .failed(let error): .failed(error)
      case .blocked: .blocked
      case .missing: .missing
      case .pending, .value: .pending
      }
  }

  /// The error of the load or delivery that failed.
  public var underlying: (any Error)? {
    if case .failed(let error) = state { error } else { nil }
  }

  /// The explanation, after the deadline if one passed.
  public var description: String {
    (isOverdue ? "The deadline passed while waiting.\n" : "") + explanation.description
  }
}
