extension Responding where Self: Responder {
  /// Calls the closure with what the responder finds under the key: at once, and on each change.
  ///
  /// The closure gets the responder, so that it need not capture it. Keep the returned token: the
  /// observation ends with it. Neither keeps the other alive.
  ///
  /// ```swift
  /// observation = controller.observe(Theme.self) { me, theme in me.title.color = theme.value?.ink }
  /// ```
  @inlinable
  @inline(__always)
  public func observe<K: ContextKey>(
    _ key: K.Type, _ onChange: @escaping (Self, Resolution<K.Value>) -> Void
  ) -> ContextObservation {
    observe(erased(K.self), TypedBody(self, onChange))
  }

  /// Calls the closure with what the responder finds under the key, at once and on each change, for
  /// as long as the responder lives.
  ///
  /// There is no token. Each call adds an observation; `observe(_:_:)` makes one that can be
  /// cancelled. The closure gets the responder, and must not capture it: the responder keeps the
  /// closure.
  ///
  /// ```swift
  /// controller.onChange(of: Theme.self) { me, theme in me.title.color = theme.value?.ink }
  /// ```
  @inlinable
  @inline(__always)
  public func onChange<K: ContextKey>(
    of key: K.Type, _ hear: @escaping (Self, Resolution<K.Value>) -> Void
  ) {
    listen(erased(K.self), TypedBody(self, hear))
  }
}

extension Responder {
  /// Has ``contextDidChange(_:)`` called, as long as the responder lives, whenever what it finds
  /// under the key changes. The present state is not reported.
  public final func follow<K: ContextKey>(_ key: K.Type) {
    let hooks = core.madeHooks()
    guard !hooks.followedKeys.contains(KeyID(key)) else { return }
    hooks.followedKeys.append(KeyID(key))
    register(
      Observer(
        Erased<K>.self,
        TypedBody<Responder, K.Value>(self) { responder, _ in
          responder.contextDidChange(key)
          responder.onContextChange?(responder, key)
        }),
      callsAtOnce: false)
  }

  @usableFromInline
  final func observe(_ key: any ErasedKey.Type, _ body: ObserverBody) -> ContextObservation {
    let observer = Observer(key, body)
    register(observer, callsAtOnce: true)
    return ContextObservation(observer)
  }

  /// Observes until the responder ends.
  @usableFromInline
  final func listen(_ key: any ErasedKey.Type, _ body: ObserverBody) {
    register(Observer(key, body), callsAtOnce: true)
  }

  private final func register(_ observer: Observer, callsAtOnce: Bool) {
    // What the closure changes is told after it returned.
    Round.perform { round in
      round.detachFromDeadParent(self)
      observer.register(at: core)
      let answer = round.answer(observer.id, at: core)
      withExtendedLifetime(answer) {
        let heard = UnretainedAnswer(answer)
        if callsAtOnce { observer.call(heard) } else { observer.remember(heard) }
      }
    }
  }
}
