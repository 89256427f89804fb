/// What decides: it has a root view, child controllers, and may present another controller.
open class Controller: Responder {
  /// The view at the top of the controller's views. The old one is detached when it is replaced.
  public final var rootView: View? {
    get { has(NodeBits.rootView) ? owned.first as? View : nil }
    set {
      guard newValue !== rootView else { return }
      Round.perform { _ in
        rootView?.removeFromParent()
        guard let newValue else { return }
        do {
          try attach(newValue, as: .rootView)
        } catch {
          preconditionFailure("\(error)")
        }
      }
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
