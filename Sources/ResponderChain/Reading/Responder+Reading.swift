extension Responder {
  /// Returns what the responder finds under a key now; never waits.
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
    case .self: Resolution(answerMakingChild(KeyID(key)))
    case .next: Resolution(inheritedAnswerMakingChild(KeyID(key)))
    }
  }

  /// Returns the value under a key, or the key's fallback.
  @inlinable
  @inline(__always)
  public final func context<K: ContextKey>(_ key: K.Type) -> K.Value? {
    // Nothing runs between finding the cell and taking the value out of it, and the cell is held by
    // a table that only this isolation changes: it needs no reference of its own.
    if let cell = cell(KeyID(key)) { return cell.value(as: K.Value.self) }
    return contextNotAtOnce(key)
  }

  /// Returns the object under a key, or the key's fallback: one step less than for other values.
  @inlinable
  @inline(__always)
  public final func context<K: ContextKey>(_ key: K.Type) -> K.Value? where K.Value: AnyObject {
    if let object = object(KeyID(key)) { return object.object(as: K.Value.self) }
    return contextNotAtOnce(key)
  }

  /// Returns the value under a key.
  ///
  /// - Throws: ``ContextError`` with the state, the underlying error and the explanation.
  public final func require<K: ContextKey>(_ key: K.Type) throws -> K.Value {
    let resolution = resolve(key)
    if let value = resolution.value ?? key.fallback { return value }
    throw ContextError(resolution, explain(key))
  }

  /// Returns several values at once, to be carried into a task.
  public final func snapshot<each K: ContextKey>(
    _ keys: repeat (each K).Type
  ) -> (repeat (each K).Value?) where repeat (each K).Value: Sendable {
    (repeat context(each keys))
  }

  @inlinable
  @inline(never)
  final func contextNotAtOnce<K: ContextKey>(_ key: K.Type) -> K.Value? {
    guard case .value(let cell) = answerMakingChild(KeyID(key)) else { return key.fallback }
    return cell.value(as: K.Value.self)
  }

  /// Returns what the responder resolves a key to.
  ///
  /// It makes a branch's child if there has to be one: no other read does, and so no other enters a
  /// round.
  @inline(never)
  @usableFromInline
  final func answerMakingChild(_ id: KeyID) -> Answer { answerMakingChild(locate(id)) }

  /// Returns what the responder's ancestors resolve a key to; makes a branch's child as
  /// `answerMakingChild(_:)` does.
  @usableFromInline
  final func inheritedAnswerMakingChild(_ id: KeyID) -> Answer {
    answerMakingChild(liveParent?.locate(id))
  }

  private func answerMakingChild(_ entry: EntryRef?) -> Answer {
    guard let entry else { return .missing }
    if let cell = entry.cell { return .value(cell.strong) }
    let slot = entry.decider
    return slot.answer ?? Round.perform { $0.makeChildren(for: slot) }
  }

  /// Returns the number of nodes that a lookup looks at, for tests of the cost law.
  package final func steps<K: ContextKey>(toFind key: K.Type) -> Int {
    var steps = Steps()
    _ = locate(KeyID(key), &steps)
    return steps.count
  }

  /// Returns whether a change of the responder's slot knows the listeners it concerns without
  /// looking for them, for tests of the cost law.
  package final func remembersAudience<K: ContextKey>(of key: K.Type) -> Bool {
    let audiences = contents?.listeners?.audiences ?? []
    return audiences.contains { $0.id == KeyID(key) && !$0.isStale }
  }
}

/// The start of a lookup.
public enum LookupStart: Sendable {
  /// At the responder itself.
  case `self`
  /// At the next responder: what the responder inherits, whatever it provides itself.
  case next
}
