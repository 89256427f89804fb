extension Responder {
  /// What the responder finds under a key now; never waits.
  ///
  /// A read changes nothing and calls nobody. So it applies no delivery that has arrived: that is
  /// done by the application's mailbox, in a detached tree by attaching it or by
  /// ``context(whenReady:within:clock:)``, and until then the answer is pending.
  ///
  /// - Complexity: depends on the tree's ``Strategy``; no allocation unless a branch makes its
  ///   child.
  @inlinable
  public final func resolve<K: ContextKey>(
    _ key: K.Type, from start: LookupStart = .self
  ) -> Resolution<K.Value> {
    switch start {
    case .self: Resolution(answer(KeyID(key)))
    case .next: Resolution(inheritedAnswer(KeyID(key)))
    }
  }

  /// The value under a key, or the key's fallback.
  @inlinable
  @inline(__always)
  public final func context<K: ContextKey>(_ key: K.Type) -> K.Value? {
    // Nothing runs between finding the cell and taking the value out of it, and the cell is held by
    // a table that only this isolation changes: it needs no reference of its own.
    if let cell = cell(KeyID(key)) {
      return cell._withUnsafeGuaranteedRef { unsafeDowncast($0, to: TypedCell<K.Value>.self).value }
    }
    return contextNotAtOnce(key)
  }

  /// The object under a key, or the key's fallback: the same, with a step less.
  @inlinable
  @inline(__always)
  public final func context<K: ContextKey>(_ key: K.Type) -> K.Value? where K.Value: AnyObject {
    if let object = object(KeyID(key)) {
      return object._withUnsafeGuaranteedRef { unsafeDowncast($0, to: K.Value.self) }
    }
    return contextNotAtOnce(key)
  }

  /// The value under a key.
  ///
  /// - Throws: ``ContextError`` with the state, the underlying error and the explanation.
  public final func require<K: ContextKey>(_ key: K.Type) throws -> K.Value {
    let resolution = resolve(key)
    if let value = resolution.value ?? key.fallback { return value }
    throw ContextError(resolution, explain(key))
  }

  /// Several values at once, to be carried into a task.
  public final func snapshot<each K: ContextKey>(
    _ keys: repeat (each K).Type
  ) -> (repeat (each K).Value?) where repeat (each K).Value: Sendable {
    (repeat context(each keys))
  }

  @inlinable
  @inline(never)
  final func contextNotAtOnce<K: ContextKey>(_ key: K.Type) -> K.Value? {
    guard case .value(let cell) = answer(KeyID(key)) else { return key.fallback }
    return unsafeDowncast(cell, to: TypedCell<K.Value>.self).value
  }

  /// How many nodes a lookup looks at, for tests of the cost law.
  package final func steps<K: ContextKey>(toFind key: K.Type) -> Int {
    var steps = Steps()
    _ = locate(KeyID(key), &steps)
    return steps.count
  }

  /// Whether a change of the responder's slot needs to look for nobody it concerns, for tests of the
  /// cost law.
  package final func remembersAudience<K: ContextKey>(of key: K.Type) -> Bool {
    let audiences = contents?.listening?.audiences ?? []
    return audiences.contains { $0.id == KeyID(key) && !$0.isStale }
  }
}

/// A context that could not be had: its state, the underlying error and the explanation.
public struct ContextError: Error, CustomStringConvertible {
  /// Why there is no value.
  public enum State: String, Sendable {
    /// It is expected, and was not there when it was required, or at the deadline.
    case pending
    /// Its load or delivery failed.
    case failed
    /// Nobody provides it.
    case missing
    /// A responder blocks it.
    case blocked
  }

  /// Why there is no value.
  public let state: State
  /// What the load or delivery failed with.
  public let underlying: (any Error)?
  /// Whether a deadline passed while waiting.
  public let isOverdue: Bool
  /// Who asked, the way, and what would help.
  public let explanation: Explanation

  init<Value>(
    _ resolution: Resolution<Value>, _ explanation: Explanation, isOverdue: Bool = false
  ) {
    self.explanation = explanation
    self.isOverdue = isOverdue
    switch resolution {
    case .failed(let error): (state, underlying) = (.failed, error)
    case .blocked: (state, underlying) = (.blocked, nil)
    case .missing: (state, underlying) = (.missing, nil)
    case .pending, .value: (state, underlying) = (.pending, nil)
    }
  }

  /// The explanation, after the deadline if one passed.
  public var description: String {
    (isOverdue ? "The deadline passed while waiting.\n" : "") + explanation.description
  }
}
