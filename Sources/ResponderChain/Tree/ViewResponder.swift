/// A responder that shows something. Views are nested, and the outermost one is a controller's root
/// view.
open class ViewResponder: Responder {
  /// The view that contains this one; `nil` if there is none, as for a root view.
  public final var superview: ViewResponder? { nextResponder as? ViewResponder }
}
