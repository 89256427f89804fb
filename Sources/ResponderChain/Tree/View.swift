/// A responder that shows something. Views are nested, and the outermost one is a controller's root
/// view.
open class View: Responder {
  /// The view that contains this one; `nil` for a root view and a detached one.
  public final var superview: View? { nextResponder as? View }
}
