/// The key and kind of a slot.
public struct SlotSummary {
  /// The kind of a slot.
  public enum SlotKind: Equatable, Sendable, CustomStringConvertible {
    /// The slot has a value.
    case value
    /// The slot's value is expected or being loaded.
    case pending
    /// The slot's load or delivery failed.
    case failed
    /// The slot is a branch, whose value is a child of the inherited context.
    case branch(BranchPolicy)
    /// The slot blocks lookups.
    case block

    /// The kind in one or two words.
    public var description: String {
      switch self {
      case .value: "value"
      case .pending: "pending"
      case .failed: "failed"
      case .branch(let policy): "branch, \(policy.rawValue)"
      case .block: "block"
      }
    }
  }

  /// The key of the slot.
  public let key: any ContextKey.Type
  /// The kind of the slot.
  public let kind: SlotKind
}
