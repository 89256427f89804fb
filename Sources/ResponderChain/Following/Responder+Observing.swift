extension Responding where Self: Responder {
  /// Calls the closure with the value or state that the responder finds under the key, at once and
  /// after each change.
  ///
  /// The closure receives the responder, so it need not capture the responder. The observation ends
  /// when the returned token is released, so store the token. Observing retains neither the token
  /// nor the responder.
  ///
  /// ```swift
  /// observation = controller.observe(Theme.self) { me, theme in
  ///   me.title.color = theme.value?.ink
  /// }
  /// ```
  ///
  /// - Complexity: That of a lookup, and O(*depth*) for the first listener of a subtree to the key.
  @inlinable
  @inline(__always)
  public func observe<K: ContextKey>(
    _ key: K.Type, _ onChange: @escaping (Self, Resolution<K.Value>) -> Void
  ) -> ContextObservation {
    observe(erased(K.self), TypedBody(self, onChange))
  }

  /// Calls the closure with the value or state that the responder finds under the key, at once and
  /// after each change, as long as the responder lives.
  ///
  /// There is no token, and each call adds an observation. Call `observe(_:_:)` for an observation
  /// that can be cancelled. The closure receives the responder. It must not capture the responder,
  /// because the responder retains the closure.
  ///
  /// ```swift
  /// controller.onChange(of: Theme.self) { me, theme in me.title.color = theme.value?.ink }
  /// ```
  ///
  /// - Complexity: That of `observe(_:_:)`.
  @inlinable
  @inline(__always)
  public func onChange<K: ContextKey>(
    of key: K.Type, _ hear: @escaping (Self, Resolution<K.Value>) -> Void
  ) {
    listen(erased(K.self), TypedBody(self, hear))
  }
}

extension Responding where Self: Responder {
  /// Calls the closure after each change of the value or state that the responder finds under the
  /// key, in the first stage of a round. So the closure is called before the observers that other
  /// functions have registered.
  ///
  /// Unlike `observe(_:_:)`, this function does not call the closure at once. It reads the present
  /// answer, in order to compare it with later answers. Like any read, this may make a branch's
  /// child.
  ///
  /// - Complexity: That of `observe(_:_:)`.
  package func observeFirst<K: ContextKey>(
    _ key: K.Type, _ onChange: @escaping (Self, Resolution<K.Value>) -> Void
  ) -> ContextObservation {
    let observer = Observer(Erased<K>.self, TypedBody(self, onChange), stage: .first)
    register(observer, callsAtOnce: false)
    return ContextObservation(observer)
  }
}

extension Responder {
  /// Calls ``contextDidChange(_:)`` after each change of the value or state that the responder
  /// finds under the key, as long as the responder lives. The method is not called at once. A
  /// second call of `watch` for the same key does nothing.
  ///
  /// - Complexity: That of ``Responding/observe(_:_:)``.
  public final func watch<K: ContextKey>(_ key: K.Type) {
    let hooks = core.makeHooksIfNeeded()
    guard !hooks.watchedKeys.contains(KeyID(key)) else { return }
    hooks.watchedKeys.append(KeyID(key))
    register(
      Observer(
        Erased<K>.self,
        TypedBody<Responder, K.Value>(self) { responder, _ in
          responder.contextDidChange(key)
        }),
      callsAtOnce: false)
  }

  @usableFromInline
  final func observe(_ key: any ErasedKey.Type, _ body: ObserverBody) -> ContextObservation {
    let observer = Observer(key, body)
    register(observer, callsAtOnce: true)
    return ContextObservation(observer)
  }

  /// Adds an observer that has no token. Its observation ends with the responder.
  @usableFromInline
  final func listen(_ key: any ErasedKey.Type, _ body: ObserverBody) {
    register(Observer(key, body), callsAtOnce: true)
  }

  fileprivate final func register(_ observer: Observer, callsAtOnce: Bool) {
    // The round calls the observers of the closure's own changes after the closure has returned.
    Round.perform { round in
      round.detachFromDeadParent(self)
      observer.register(at: core)
      let answer = round.answer(observer.id, at: core)
      if callsAtOnce { observer.call(answer) } else { observer.remember(answer) }
    }
  }
}
