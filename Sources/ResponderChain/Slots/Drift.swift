/// The report of a branch that keeps its child although it inherits another context, or that ended
/// with unsaved changes in its child.
public struct Drift {
  /// The responder that has the branch.
  public let responder: Responder
  /// The key of the branch.
  public let key: any ContextKey.Type
  /// The branch's policy.
  public let policy: BranchPolicy
  /// Whether the child or a context below it has unsaved changes. A following branch keeps the
  /// child for this reason only.
  public let hasUnsavedChanges: Bool
  /// Whether the branch was withdrawn or replaced. Then only code that still holds the child can
  /// save it.
  public let hasEnded: Bool
  /// The child's description.
  public let context: String
}

extension Drift: CustomStringConvertible {
  /// A sentence that names the branch, and says why its child stays or that its changes may be
  /// lost.
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
