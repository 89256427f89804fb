extension Mailbox {
  /// Posts an action, which is called with the application on its isolation, in a round of its own.
  ///
  /// The action is released when it was called, or when the application ends.
  public func post(_ action: @escaping @Sendable (Application) -> Void) {
    post(ActionLetter(action: action))
  }

  /// Posts work that is left over from an action. The action calls this while it is applied.
  ///
  /// ``Application/drain()`` applies this work before it returns, unlike letters that are posted
  /// meanwhile. So the remaining work must be less each time, and must not include work that
  /// arrived after the action.
  package func postRest(_ action: @escaping @Sendable (Application) -> Void) {
    post(ActionLetter(action: action), isRest: true)
  }
}

/// A letter with an action for the application.
private struct ActionLetter: Letter {
  let action: @Sendable (Application) -> Void

  var isAction: Bool { true }

  func apply(from mailbox: Mailbox, to root: AnyObject?) {
    guard let application = root as? Application else { return }
    Round.perform { _ in action(application) }
  }
}
