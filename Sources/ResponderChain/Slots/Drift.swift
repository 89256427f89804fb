/// A report about a branch. The branch keeps its child although it inherits another context, or it
/// has ended while the child had unsaved changes.
public struct Drift {
  /// The responder that has the branch.
  public let responder: Responder
  /// The key of the branch.
  public let key: any ContextKey.Type
  /// The branch's policy.
  public let policy: BranchPolicy
  /// Whether the child, or a context below the child, has unsaved changes. For a branch with the
  /// policy `.follow`, this is the only reason to keep the child.
  public let hasUnsavedChanges: Bool
  /// Whether the branch was withdrawn or replaced. If so, only code that retains the child can
  /// still save its changes.
  public let hasEnded: Bool
  /// The child's description.
  public let context: String
}

extension Drift: CustomStringConvertible {
  /// A sentence about the branch. It gives the reason for which the child stays, or says that the
  /// branch has ended with unsaved changes.
  public var description: String {
    let unsaved = "there are unsaved changes in it or below it"
    if hasEnded {
      return
        "The branch \(key) of \(responder.path) has ended with \(context), although \(unsaved)."
    }
    let why = hasUnsavedChanges ? unsaved : "its policy is .\(policy.rawValue)"
    return "The branch \(key) of \(responder.path) keeps \(context), because \(why), "
      + "although another context is inherited now."
  }
}
