extension Responder {
  /// Announces a value that will arrive, from whatever thread, through the returned delivery.
  public final func expect<K: ContextKey>(_ key: K.Type) -> Delivery<K.Value> {
    Delivery(promise: becomePending(key))
  }

  /// Starts to make a value elsewhere; the responder says `pending` until it is there or failed.
  ///
  /// The task does not keep the responder alive. It is cancelled by whatever replaces the slot and
  /// by the responder's end. Loading again is the retry.
  public final func load<K: ContextKey>(
    _ key: K.Type, _ make: @escaping @concurrent @Sendable () async throws -> sending K.Value
  ) {
    _ = becomePending(key) { promise in
      let delivery = Delivery<K.Value>(promise: promise)
      promise.keep(
        Task {
          do {
            delivery.deliver(try await make())
          } catch {
            delivery.fail(error)
          }
        })
    }
  }

  private func becomePending<K: ContextKey>(
    _ key: K.Type, _ start: (Promise) -> Void = { _ in }
  ) -> Promise {
    core.responder = self
    let promise = Promise(self, KeyID(key), mailbox: attachedTree?.mailbox)
    let listener = PendingListener(promise, Erased<K>.self)
    start(promise)
    let slot = Slot(Erased<K>.self, owner: core, state: .pending(promise, listener))
    // In one round: a callback may replace the slot, which must be complete by then.
    Round.perform { _ in
      replace(with: slot, for: Erased<K>.self)
      core.set(NodeBits.needsTeardown, true)
      listener.register(at: core)
    }
    return promise
  }

  /// Gives a pending slot its outcome, and ends its listener.
  @inline(__always)
  final func settle(_ slot: Slot, _ listener: Listener, _ outcome: Promise.Outcome) {
    Round.perform { round in
      listener.unregister()
      switch outcome {
      case .value(let cell):
        cell.inspectClass()
        slot.state = .value(cell)
      case .failure(let error): slot.state = .failed(Failure(error))
      }
      core.ownEntry(slot.id)?.set(cell: slot.settledCell)
      pushAndTell(slot.id, in: round)
      join(slot)
    }
  }
}
