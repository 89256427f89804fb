/// What shows something. Views nest, and the outermost is a controller's root view.
open class View: Responder {
  /// The view this one is in; `nil` for a root view and a detached one.
  public final var superview: View? { nextResponder as? View }
}
