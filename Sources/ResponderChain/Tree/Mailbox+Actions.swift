extension Mailbox {
  /// Posts an action. It is called with the application, on the application's isolation and in a
  /// round of its own.
  ///
  /// The action is released after the call, or when the application ends.
  public func post(_ action: @escaping @Sendable (Application) -> Void) {
    post(ActionLetter(action: action))
  }

  /// Posts the work that an action leaves to do later. The action must call this function while it
  /// is running.
  ///
  /// ``Application/drain()`` does this work before it returns, but does not apply letters that are
  /// posted meanwhile. So the work must become less with each call, and must not include work that
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
