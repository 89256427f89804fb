import ObjectGraph
public import ResponderChain

extension Controller {
  /// Leaves the screen after saving or discarding what is unsaved in the controller's own branch.
  ///
  /// A controller whose branch cannot be saved stays where it is.
  public final func leave(_ decision: UnsavedDecision) throws {
    if slots.contains(where: { $0.key == ObjectContext.self && $0.kind.isBranch }) {
      try withdraw(ObjectContext.self, unsaved: decision)
    }
    removeFromParent()
  }
}

extension SlotSummary.Kind {
  fileprivate var isBranch: Bool {
    if case .branch = self { true } else { false }
  }
}
