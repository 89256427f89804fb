public import ResponderChain

extension Controller {
  /// Saves or discards the unsaved changes in all branches of the controller, and then removes the
  /// controller from the tree.
  ///
  /// If a branch cannot be saved, the function throws and the controller stays where it is.
  ///
  /// - Complexity: That of saving or discarding the unsaved changes in the branches, of removing
  ///   each branch, and of `removeFromParent()`.
  public final func leave(_ decision: UnsavedDecision) throws {
    try withdrawBranches(unsaved: decision)
    removeFromParent()
  }
}
