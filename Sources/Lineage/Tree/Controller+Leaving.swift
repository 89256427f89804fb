public import ResponderChain

extension Controller {
  /// Removes the controller from the tree, after saving or discarding the unsaved changes in all of
  /// its own branches.
  ///
  /// If a branch cannot be saved, the controller stays where it is.
  ///
  /// - Complexity: O(unsaved changes in the branches).
  public final func leave(_ decision: UnsavedDecision) throws {
    try withdrawBranches(unsaved: decision)
    removeFromParent()
  }
}
