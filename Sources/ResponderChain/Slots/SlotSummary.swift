/// A slot as seen from outside: restoration and drawings read it.
public struct SlotSummary {
  /// What a slot says.
  public enum SlotKind: Equatable, Sendable, CustomStringConvertible {
    /// It has a value.
    case value
    /// Its value is expected or being loaded.
    case pending
    /// Its load or delivery failed.
    case failed
    /// It has a child of what is inherited.
    case branch(BranchPolicy)
    /// It ends lookups.
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

  /// The key the slot is about.
  public let key: any ContextKey.Type
  /// What it says.
  public let kind: SlotKind
}
