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
    let cell = try await cell(whenReady: erased(key), within: duration, clock) {
      ContextError($0, explain(key), isOverdue: $1)
    }
    return unsafeDowncast(cell, to: Cell<K.Value>.self).value
  }

  /// The untyped wait: one copy for all keys.
  private func cell(
    whenReady key: any ErasedKey.Type, within duration: Duration?, _ clock: any Clock<Duration>,
    orThrow error: (Resolution<Never>, _ isOverdue: Bool) -> ContextError
  ) async throws -> AnyObject {
    let id = key.id
    var waiting: Waiting?
    var deadline: Task<Void, Never>?
    var verdict: Waiter.Verdict?
    defer {
      waiting?.isOver = true
      deadline?.cancel()
    }
    while true {
      switch verdict {
      case .failed(let error): throw error
      case .blocked: throw error(.blocked, false)
      case nil: break
      }
      let answer = core.answer(id)
      switch answer {
      case .value(let cell): return cell
      case .failed(let failure): throw failure.error
      case .blocked: throw error(.blocked, false)
      case .pending, .missing: break
      }
      try Task.checkCancellation()
      if let waiting {
        if waiting.waiter.isOverdue { throw error(Resolution(answer), true) }
        verdict = await sleep(waiting.waiter, id)
        continue
      }
      let new = Waiting(key)
      waiting = new
      core.responder = self
      new.register(at: core)
      if let duration {
        let waiter = new.waiter
        deadline = Task {
          guard (try? await clock.sleep(for: duration)) != nil else { return }
          waiter.expire()
        }
      }
    }
  }

  /// Suspends until something happened, after applying what has arrived already.
  private func sleep(_ waiter: Waiter, _ id: KeyID) async -> Waiter.Verdict? {
    guard let mailbox = core.tree?.mailbox ?? core.promisedMailbox(id) else {
      return await waiter.sleep()
    }
    guard mailbox.add(waiter) else {
      mailbox.apply(to: application, opening: false)
      return waiter.verdict
    }
    let verdict = await waiter.sleep()
    mailbox.remove(waiter)
    return verdict
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
