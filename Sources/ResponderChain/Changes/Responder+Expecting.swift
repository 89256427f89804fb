extension Responder {
  /// Makes this responder's slot for the key pending, until the returned delivery delivers a value
  /// or an error.
  ///
  /// - Complexity: That of ``provide(_:for:file:line:)``.
  public final func expect<K: ContextKey>(
    _ key: K.Type, file: StaticString = #fileID, line: Int = #line
  ) -> Delivery<K.Value> {
    Delivery(promise: becomePending(key, .source(file, line)))
  }

  /// Starts a task that makes a value. This responder's slot for the key is pending until the task
  /// returns the value or throws an error.
  ///
  /// The task does not keep the responder alive. It is cancelled when the slot is replaced or
  /// withdrawn, and when the responder ends. To retry, call this function again.
  ///
  /// - Complexity: That of ``provide(_:for:file:line:)``.
  public final func load<K: ContextKey>(
    _ key: K.Type, _ make: @escaping @concurrent @Sendable () async throws -> sending K.Value,
    file: StaticString = #fileID, line: Int = #line
  ) {
    load(key, on: nil, make, file, line)
  }

  /// Starts a task that makes a value, as ``load(_:_:file:line:)`` does. The executor is the
  /// preference of the task; nil for none.
  package final func load<K: ContextKey>(
    _ key: K.Type, on executor: (any TaskExecutor)?,
    _ make: @escaping @concurrent @Sendable () async throws -> sending K.Value,
    _ file: StaticString, _ line: Int
  ) {
    _ = becomePending(key, .source(file, line)) { promise in
      let delivery = Delivery<K.Value>(promise: promise)
      promise.keep(
        Task(executorPreference: executor) {
          do {
            delivery.deliver(try await make())
          } catch {
            delivery.fail(error)
          }
        })
    }
  }

  private func becomePending<K: ContextKey>(
    _ key: K.Type, _ origin: SlotOrigin, _ start: (Promise) -> Void = { _ in }
  ) -> Promise {
    // The type is made once, because making a generic type takes as long as the rest of a slot.
    let key: any ErasedKey.Type = Erased<K>.self
    let id = key.id
    note(origin, of: id)
    core.refer(to: self)
    let promise = Promise(self, id, mailbox: attachedTree?.mailbox)
    let listener = PendingListener(promise, key)
    start(promise)
    let slot = Slot(key, owner: core, state: .pending(promise, listener))
    // All changes are made in one round. So callbacks, which may replace the slot, run after the
    // slot is complete.
    Round.perform { _ in
      replace(with: slot, for: key)
      core.set(NodeBits.needsTeardown, true)
      listener.register(at: core)
    }
    return promise
  }

  /// Puts the outcome into a pending slot, and removes the slot's listener.
  @inline(__always)
  final func settle(_ slot: Slot, _ listener: Listener, _ outcome: Promise.Outcome) {
    Round.perform { round in
      listener.unregister()
      switch outcome {
      case .value(let cell):
        cell.inspectClass()
        slot.state = .value(cell)
      case .failure(let error): slot.state = .failed(FailureBox(error))
      }
      core.ownEntry(slot.id)?.set(cell: slot.readableCell)
      pushAndTell(slot.id, in: round)
      join(slot)
      ownAttachment?.slotsDidChange(of: self)
    }
  }
}
