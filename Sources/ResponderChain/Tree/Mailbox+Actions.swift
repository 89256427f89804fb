extension Mailbox {
  /// Posts something to be done with the application, on its isolation, in a round of its own.
  ///
  /// What the action holds is released when it was done, or with the application.
  public func post(_ action: @escaping @Sendable (Application) -> Void) {
    post(ActionLetter(action: action))
  }

  /// Posts what an action that is being applied has left to do.
  ///
  /// ``Application/drain()`` applies it before it returns, unlike what is posted otherwise by then.
  /// So it must be less each time.
  package func postRest(_ action: @escaping @Sendable (Application) -> Void) {
    post(ActionLetter(action: action), isRest: true)
  }
}

/// Something to be done with the application.
private struct ActionLetter: Letter {
  let action: @Sendable (Application) -> Void

  var isAction: Bool { true }

  func apply(from mailbox: Mailbox, to root: AnyObject?) {
    guard let application = root as? Application else { return }
    Round.perform { _ in action(application) }
  }
}
