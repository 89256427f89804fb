extension Mailbox {
  /// Posts an action. It is called with the application, on the application's isolation and in a
  /// round of its own.
  ///
  /// The action is released after the call, or when the application ends.
  public func post(_ action: @escaping @Sendable (Application) -> Void) {
    post(ActionLetter(action: action))
  }

  /// Posts the rest of an action's work, which is done later. The action itself must call this
  /// function, before it returns.
  ///
  /// ``Application/drain()`` does this work before it returns, but does not apply letters that are
  /// posted meanwhile. If the rest posts a further rest, the further one must be smaller. No rest
  /// may include work that arrived after the action. Otherwise a call of `drain()` might not end.
  package func postRest(_ action: @escaping @Sendable (Application) -> Void) {
    post(ActionLetter(action: action), isRest: true)
  }
}

extension Mailbox {
  /// Applies the letters that have arrived, in a turn of the responder's application, for a task that
  /// waits at the responder.
  func applyWhileWaiting(at responder: Responder) {
    let root = responder.attachedTree?.root
    if let application = root as? Application {
      _ = application.takeTurn { apply(to: application, opening: false) }
    } else {
      apply(to: root, opening: false)
    }
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
