extension Responder {
  /// A name that descriptions show beside the type; `nil` by default.
  public final var debugName: String? {
    get { contents?.hooks?.name }
    set { core.makeHooksIfNeeded().name = newValue }
  }

  /// The closure that is called with the responder after ``didAttach()``. The closure must not
  /// capture the responder, because the responder retains the closure.
  public final var onAttach: ((Responder) -> Void)? {
    get { contents?.hooks?.attach }
    set { core.makeHooksIfNeeded().attach = newValue }
  }

  /// The closure that is called with the responder after ``willDetach()``, while the responder is
  /// still attached. The closure must not capture the responder, because the responder retains the
  /// closure.
  public final var onDetach: ((Responder) -> Void)? {
    get { contents?.hooks?.detach }
    set { core.makeHooksIfNeeded().detach = newValue }
  }
}
