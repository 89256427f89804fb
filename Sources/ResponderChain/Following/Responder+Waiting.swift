extension Responder {
  /// Waits until the responder finds a value under the key, and returns the value.
  ///
  /// The function waits while the context is pending or missing, even in a detached tree or if the
  /// responder moves. While it waits it applies the letters of the mailbox, so it also works if no
  /// other task runs the application. The responder is retained during the wait.
  ///
  /// If the responder is attached to an application, and no responder up to the application
  /// provides or expects the key, the wait is reported to ``Application/onFault``.
  ///
  /// - Throws: the error of the load or delivery if it failed; ``ContextError`` if the key is
  ///   blocked or the deadline passed; `CancellationError` if the task was cancelled.
  /// - Complexity: That of a lookup, and O(*depth*) for the first listener of a subtree to the key.
  public final func context<K: ContextKey>(
    whenReady key: K.Type, within duration: Duration? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> K.Value {
    let cell = try await cell(whenReady: erased(key), within: duration, clock)
    return cell.value(as: K.Value.self)
  }

  /// Waits until the responder finds a value under the key, and returns the value's cell. Unlike
  /// ``context(whenReady:within:clock:)`` this function is not generic.
  ///
  /// A task has little memory for the stack frames that it keeps while it sleeps. If the frames
  /// need more, the task allocates a further block. So this function has few variables and one
  /// suspension point, and leaves all other work to functions that are not async.
  @inline(__always)
  private func cell(
    whenReady key: any ErasedKey.Type, within duration: Duration?, _ clock: any Clock<Duration>
  ) async throws -> Cell {
    if let cell = try outcome(key, nil) { return cell }
    let waiting = wait(for: key, within: duration, clock)
    while true {
      if let cell = try waiting.proceed(on: #isolation) { return cell }
      await waiting.sleeper.sleep()
    }
  }

  /// Returns the value with which the wait ends; nil if the wait goes on. Throws if the wait ends
  /// with an error.
  @inline(never)
  fileprivate func outcome(
    _ key: any ErasedKey.Type, _ waiting: WaitRegistration?
  ) throws -> Cell? {
    switch waiting?.failure {
    case .failed(let error): throw error
    case .blocked: throw ContextError(Resolution<Never>.blocked, explain(key.key))
    case nil: break
    }
    let answer = answerMakingChild(key.id)
    switch answer {
    case .value(let cell): return cell
    case .failed(let failure): throw failure.error
    case .blocked: throw ContextError(Resolution<Never>.blocked, explain(key.key))
    case .pending, .missing: break
    }
    try Task.checkCancellation()
    if let waiting, waiting.sleeper.isOverdue {
      let explanation = explainWait(key.key)
      throw ContextError(Resolution<Never>(answer), explanation, isOverdue: true)
    }
    return nil
  }

  @inline(never)
  private func wait(
    for key: any ErasedKey.Type, within duration: Duration?, _ clock: any Clock<Duration>
  ) -> WaitRegistration {
    let waiting = WaitRegistration(key)
    waiting.responder = self
    waiting.register(at: core)
    if let duration {
      let sleeper = waiting.sleeper
      waiting.deadline = Task {
        guard (try? await clock.sleep(for: duration)) != nil else { return }
        sleeper.expire()
      }
    }
    return waiting
  }
}

extension WaitRegistration {
  /// Ends the wait and returns its value, if there is one. Otherwise registers the sleeper to be
  /// woken, and returns nil.
  @inline(never)
  fileprivate func proceed(on isolation: isolated (any Actor)?) throws -> Cell? {
    guard let responder else { preconditionFailure("the wait has ended") }
    do {
      if let mailbox { mailbox.remove(sleeper) }
      if hasBegun, let cell = try responder.outcome(key, self) { return ended(cell) }
      hasBegun = true
      mailbox = responder.letters(for: id)
      if mailbox?.add(sleeper) ?? true {
        responder.reportIfNotProvided(key.key)
        return nil
      }
      // Letters that have arrived already are applied first.
      mailbox?.applyWhileWaiting(at: responder)
      if let cell = try responder.outcome(key, self) { return ended(cell) }
      // New letters that these letters have posted must wait, because other tasks may have work
      // here.
      sleeper.wakeInTurn(on: isolation)
      return nil
    } catch {
      end()
      throw error
    }
  }

  private func ended(_ cell: Cell) -> Cell {
    end()
    return cell
  }
}

extension Responder {
  /// Reports a wait for a key if nobody provides or expects the key in the responder's attached
  /// tree. Each key is reported once in a tree.
  fileprivate final func reportIfNotProvided(_ key: any ContextKey.Type) {
    let id = KeyID(key)
    guard case .missing = core.answerWithoutMaking(id), let tree = attachedTree, tree.root != nil,
      tree.reportedKeys.insert(id.word).inserted
    else { return }
    Fault(responder: self, key: key, reason: .notProvided).report()
  }

  /// Returns the mailbox at which a value for the key may arrive; nil if there is none.
  final func letters(for id: KeyID) -> Mailbox? {
    core.tree?.mailbox ?? core.promisedMailbox(id)
  }
}

extension Core {
  /// Returns the mailbox of the pending slot that a lookup from here finds; nil if there is none.
  /// This function is used in trees without an application.
  func promisedMailbox(_ id: KeyID) -> Mailbox? {
    var node: Core? = self
    while let slot = node?.locate(id)?.decider {
      switch slot.state {
      case .pending(let value, _): return value.mailbox
      case .branch: node = slot.owner.strong.liveParent
      case .value, .failed, .block: return nil
      }
    }
    return nil
  }
}
