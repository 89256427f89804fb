public import ResponderChain

extension Controller {
  /// Leaves the screen after saving or discarding what is unsaved in the controller's own branches,
  /// whatever their keys.
  ///
  /// A controller with a branch that cannot be saved stays where it is.
  public final func leave(_ decision: UnsavedDecision) throws {
    try withdrawBranches(unsaved: decision)
    removeFromParent()
  }
}
