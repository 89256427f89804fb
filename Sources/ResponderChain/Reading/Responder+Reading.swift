extension Responder {
  /// Returns the value or state that the responder finds under a key now. This function never
  /// waits.
  ///
  /// A read calls no observer, even if it makes a branch's child. It does not apply deliveries
  /// either: the answer stays pending after a delivery has arrived, until the application applies
  /// the letters of its mailbox. In a detached tree, a delivery is applied after the tree is
  /// attached, or by ``context(whenReady:within:clock:)``.
  ///
  /// - Complexity: Depends on the tree's ``Strategy``. Nothing is allocated, unless a branch makes
  ///   its child.
  @inlinable
  public final func resolve<K: ContextKey>(
    _ key: K.Type, from start: LookupStart = .self
  ) -> Resolution<K.Value> {
    switch start {
    case .self: Resolution(answerMakingChild(KeyID(key)))
    case .next: Resolution(inheritedAnswerMakingChild(KeyID(key)))
    }
  }

  /// Returns the value that the responder finds under a key, or the key's fallback if there is no
  /// value.
  ///
  /// - Complexity: That of ``resolve(_:from:)``.
  @inlinable
  @inline(__always)
  public final func context<K: ContextKey>(_ key: K.Type) -> K.Value? {
    // No code runs between finding the cell and reading the value. A table that only this isolation
    // changes retains the cell, so the cell needs no further reference.
    if let cell = cell(KeyID(key)) { return cell.value(as: K.Value.self) }
    return contextNotAtOnce(key)
  }

  /// Returns the object that the responder finds under a key, or the key's fallback if there is no
  /// value.
  ///
  /// This overload exists because reading an object takes one step less than reading another value.
  /// Rejected: one function that checks at run time whether the type is a class, because the
  /// optimiser does not remove the check for structs.
  ///
  /// - Complexity: That of ``resolve(_:from:)``.
  @inlinable
  @inline(__always)
  public final func context<K: ContextKey>(_ key: K.Type) -> K.Value? where K.Value: AnyObject {
    if let object = object(KeyID(key)) { return object.object(as: K.Value.self) }
    return contextNotAtOnce(key)
  }

  /// Returns the value that the responder finds under a key, or the key's fallback if there is no
  /// value.
  ///
  /// - Throws: ``ContextError``, with an explanation, if there is neither a value nor a fallback.
  /// - Complexity: That of ``resolve(_:from:)``, and of ``explain(_:)`` if there is no value.
  public final func require<K: ContextKey>(_ key: K.Type) throws -> K.Value {
    let resolution = resolve(key)
    if let value = resolution.value ?? key.fallback { return value }
    throw ContextError(resolution, explain(key))
  }

  /// Returns the values, or fallbacks, of several keys. The values are Sendable, so another task
  /// can use them.
  ///
  /// - Complexity: A lookup for each key.
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

  /// Returns the answer to which the responder resolves a key.
  ///
  /// If the answer depends on a branch that has no child, the child is made in a round. Other reads
  /// need no round.
  @inline(never)
  @usableFromInline
  final func answerMakingChild(_ id: KeyID) -> Answer { answerMakingChild(locate(id)) }

  /// Returns the answer to which the responder's ancestors resolve a key. It makes a branch's child
  /// if needed.
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

  /// Returns the number of nodes that a lookup looks at. Tests of the cost use this number.
  package final func steps<K: ContextKey>(toFind key: K.Type) -> Int {
    var steps = Steps()
    _ = locate(KeyID(key), &steps)
    return steps.count
  }

  /// Whether the responder's stored route is valid, so that its next lookup can use it. Only a
  /// lookup that begins at the responder renews a stale route. Tests of the cost use this property.
  package final var hasValidRoute: Bool { route?.strategy != nil }

  /// Returns whether the audience of the responder's slot is stored, so that a change of the slot
  /// needs no search. Tests of the cost use this function.
  package final func remembersAudience<K: ContextKey>(of key: K.Type) -> Bool {
    let audiences = contents?.listeners?.audiences ?? []
    return audiences.contains { $0.id == KeyID(key) && !$0.isStale }
  }
}

/// The start of a lookup.
public enum LookupStart: Sendable {
  /// The lookup starts at the responder itself.
  case `self`
  /// The lookup starts at the next responder, so it skips the responder's own slot.
  case next
}
