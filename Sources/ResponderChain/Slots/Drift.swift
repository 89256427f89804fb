/// A branch's child that stayed although what it was made of is no longer what is inherited, or that
/// has unsaved changes although its branch has ended.
public struct Drift {
  /// The responder whose branch it is.
  public let responder: Responder
  /// The key of the branch.
  public let key: any ContextKey.Type
  /// The branch's policy.
  public let policy: BranchPolicy
  /// Whether the child, or a context below it, has unsaved changes, which are why a following branch
  /// stays.
  public let hasUnsavedChanges: Bool
  /// Whether the branch was withdrawn, or another slot took its place: only code that still has the
  /// child can save it.
  public let hasEnded: Bool
  /// The child's description.
  public let context: String
}

extension Drift: CustomStringConvertible {
  /// One sentence that names the branch and why its child stays, or what is lost with it.
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
