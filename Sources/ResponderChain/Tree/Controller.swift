/// What decides: it has a root view, child controllers, and may present another controller.
open class Controller: Responder {
  /// The view at the top of the controller's views. The old one is detached when it is replaced.
  ///
  /// A view that the controller itself is in cannot be its root view: assigning it has no effect.
  /// ``setRootView(_:)`` throws the reason.
  public final var rootView: View? {
    get { has(NodeBits.rootView) ? owned.first as? View : nil }
    set { try? setRootView(newValue) }
  }

  /// Replaces the root view, as an assignment to ``rootView`` does, or throws why it cannot.
  ///
  /// - Throws: ``TreeError/cycle(ancestor:descendant:)`` if the controller is in the view. Nothing
  ///   has changed then, unless a `willDetach()` on the way put the controller into the view: by
  ///   then the old root view has left.
  public final func setRootView(_ view: View?) throws {
    guard view !== rootView else { return }
    if let view { try checkInsertion(of: view) }
    try Round.perform { _ in
      rootView?.removeFromParent()
      if let view { try attach(view, as: .rootView) }
    }
  }

  /// The controller that this one presents.
  ///
  /// It is owned and found by its presenter, but is not among the children.
  public final var presented: Controller? {
    has(NodeBits.presented) ? owned.last as? Controller : nil
  }

  /// The controller that presents this one.
  public final var presenter: Controller? {
    parentRole == .presented ? nextResponder as? Controller : nil
  }

  /// Shows another controller on top of this one, which becomes its next responder.
  ///
  /// - Throws: ``TreeError`` if the controller is attached already, if this one presents another,
  ///   or if it would become its own ancestor.
  public final func present(_ controller: Controller) throws {
    if controller.core.liveParent != nil {
      throw TreeError.alreadyAttached(controller.path, presenter: path)
    }
    if presented != nil { throw TreeError.alreadyPresenting(controller.path, presenter: path) }
    try attach(controller, as: .presented)
  }

  /// Detaches the controller that this one presents; does nothing if there is none.
  public final func dismiss() {
    presented?.removeFromParent()
  }
}
