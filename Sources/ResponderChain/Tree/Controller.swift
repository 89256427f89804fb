/// A responder that has a root view and child controllers, and may present another controller.
open class Controller: Responder {
  /// The view at the top of the controller's views; `nil` if there is none. ``setRootView(_:)`` sets
  /// it.
  public final var rootView: ViewResponder? {
    has(NodeBits.rootView) ? owned.first as? ViewResponder : nil
  }

  /// Sets ``rootView``, or removes it if the new view is `nil`. The old view is detached.
  ///
  /// - Throws: ``TreeError/cycle(ancestor:descendant:)`` if the controller is below the view.
  ///   Usually nothing has changed then. But if a `willDetach()` during the call has put the
  ///   controller below the view, the old root view is detached already.
  /// - Complexity: That of ``Responder/append(_:)``, and of removing the old view.
  public final func setRootView(_ view: ViewResponder?) throws {
    guard view !== rootView else { return }
    if let view { try checkInsertion(of: view) }
    try Round.perform { _ in
      rootView?.removeFromParent()
      if let view { try attach(view, as: .rootView) }
    }
  }

  /// The controller that this one presents; `nil` if there is none.
  ///
  /// The presenter owns it, and is its next responder. It is not among the children.
  public final var presented: Controller? {
    has(NodeBits.presented) ? owned.last as? Controller : nil
  }

  /// The controller that presents this one; `nil` if there is none.
  public final var presenter: Controller? {
    parentRole == .presented ? nextResponder as? Controller : nil
  }

  /// Presents another controller. Its next responder is then this controller.
  ///
  /// - Throws: ``TreeError`` if the controller is attached already, if this one presents another
  ///   controller, or if the controller would become its own ancestor.
  /// - Complexity: That of ``Responder/append(_:)``.
  public final func present(_ controller: Controller) throws {
    if controller.core.liveParent != nil {
      throw TreeError.alreadyAttached(controller.path, presenter: path)
    }
    if presented != nil { throw TreeError.alreadyPresenting(controller.path, presenter: path) }
    try attach(controller, as: .presented)
  }

  /// Detaches the presented controller. Does nothing if there is none.
  ///
  /// - Complexity: That of ``Responder/removeFromParent()``.
  public final func dismiss() {
    presented?.removeFromParent()
  }
}
