/// The error of a lookup or wait that found no value. It says whether the context is pending,
/// failed, blocked or missing, and has an explanation.
public struct ContextError: Error, CustomStringConvertible {
  /// The state of the context.
  public let state: Resolution<Never>
  /// Whether the deadline of a wait has passed.
  public let isOverdue: Bool
  /// An explanation of the lookup. It names the responder that asked, and gives advice.
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

  /// The error of the load or delivery that failed; `nil` in other states.
  public var underlying: (any Error)? {
    if case .failed(let error) = state { error } else { nil }
  }

  /// The explanation. If a deadline passed, a sentence about it comes first.
  ///
  /// - Complexity: O(*h*) for *h* hops of the explanation.
  public var description: String {
    (isOverdue ? "The deadline passed while waiting.\n" : "") + explanation.description
  }
}
