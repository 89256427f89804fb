extension Responder {
  /// A name that descriptions show beside the type; none by default.
  public final var debugName: String? {
    get { contents?.hooks?.name }
    set { core.madeHooks().name = newValue }
  }

  /// Called with the responder after ``didAttach()``; do not capture the responder in it.
  public final var onAttach: ((Responder) -> Void)? {
    get { contents?.hooks?.attach }
    set { core.madeHooks().attach = newValue }
  }

  /// Called with the responder after ``willDetach()``, still attached.
  public final var onDetach: ((Responder) -> Void)? {
    get { contents?.hooks?.detach }
    set { core.madeHooks().detach = newValue }
  }

  /// Called with the responder and the key after ``contextDidChange(_:)``.
  public final var onContextChange: ((Responder, any ContextKey.Type) -> Void)? {
    get { contents?.hooks?.contextChange }
    set { core.madeHooks().contextChange = newValue }
  }
}
