/// The error of a change of the tree that was refused. Nothing was changed, except in the case that
/// ``Controller/setRootView(_:)`` describes.
public enum TreeError: Error, Equatable, CustomStringConvertible {
  /// The responder to be inserted is an ancestor of its new parent, or the parent itself.
  case cycle(ancestor: String, descendant: String)
  /// The controller to be presented has a parent or presenter already.
  case alreadyAttached(String, presenter: String)
  /// The presenter presents another controller already.
  case alreadyPresenting(String, presenter: String)
  /// The responder to be inserted is an application, which is always a root. The values are the
  /// paths of the application and of the intended parent.
  case applicationHasNoParent(String, String)
  /// The responder to be moved is not a child of the responder that reorders its children.
  case notAChild(String, of: String)
  /// The responder to become the first one is not in the application's tree. The values are the paths
  /// of both.
  case inAnotherTree(String, String)

  /// A sentence that names both responders by their paths.
  public var description: String {
    switch self {
    case .cycle(let ancestor, let descendant):
      "Cannot insert \(ancestor) under \(descendant): it would be its own ancestor."
    case .alreadyAttached(let controller, let presenter):
      "Cannot present \(controller) from \(presenter): it is attached already."
    case .alreadyPresenting(let controller, let presenter):
      "Cannot present \(controller) from \(presenter), which presents another controller."
    case .applicationHasNoParent(let application, let parent):
      "Cannot insert \(application) under \(parent): an application is always a root."
    case .notAChild(let child, let parent):
      "\(child) is not a child of \(parent)."
    case .inAnotherTree(let responder, let application):
      "Cannot make \(responder) the first responder of \(application): it is not in its tree."
    }
  }
}
