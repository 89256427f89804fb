extension Responder {
  /// Waits until the responder finds a value under the key, and returns what holds then.
  ///
  /// It waits while the context is pending or missing, also detached and while it moves. While it
  /// waits it applies what arrives in the mailbox, so it also works where nobody runs the
  /// application. The responder stays alive as long as it waits.
  ///
  /// - Throws: the load's error if it failed; ``ContextError`` if the key is blocked or the
  ///   deadline passed; `CancellationError` if the task was cancelled.
  public final func context<K: ContextKey>(
    whenReady key: K.Type, within duration: Duration? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> K.Value {
    let waiter = Waiter()
    let listener = Listener(.waiter(waiter), Erased<K>.self)
    var deadline: Task<Void, Never>?
    var isRegistered = false
    defer {
      if isRegistered { listener.unregister() }
      deadline?.cancel()
    }
    while true {
      let resolution = resolve(key)
      switch (resolution, waiter.verdict) {
      case (_, .failed(let error)): throw error
      case (_, .blocked), (.blocked, _):
        throw ContextError(Resolution<K.Value>.blocked, explain(key))
      case (.value(let value), _): return value
      case (.failed(let error), _): throw error
      case (.pending, nil), (.missing, nil): break
      }
      try Task.checkCancellation()
      if waiter.isOverdue { throw ContextError(resolution, explain(key), isOverdue: true) }
      if !isRegistered {
        isRegistered = true
        core.responder = self
        listener.register(at: core)
        if let duration {
          deadline = Task {
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            waiter.expire()
          }
        }
      }
      await sleep(waiter, KeyID(key))
    }
  }

  /// Suspends until something happened, after applying what has arrived already.
  private func sleep(_ waiter: Waiter, _ id: KeyID) async {
    guard let mailbox = core.tree?.mailbox ?? core.promisedMailbox(id) else {
      return await waiter.sleep()
    }
    guard mailbox.add(waiter) else {
      mailbox.apply(to: application, opening: false)
      return
    }
    await waiter.sleep()
    mailbox.remove(waiter)
  }
}

extension Core {
  /// The mailbox of the pending slot that decides, in a tree without an application.
  func promisedMailbox(_ id: KeyID) -> Mailbox? {
    guard let slot = locate(id)?.pointee.slot?.takeUnretainedValue(),
      case .pending(let promise, _) = slot.state
    else { return nil }
    return promise.mailbox
  }
}
