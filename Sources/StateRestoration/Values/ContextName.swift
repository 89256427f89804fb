public import ResponderChain

/// A name for a context key. Archives refer to the key by this name.
///
/// Without a name, the branches and blocks of a key are not archived, and a value that needs the
/// key's context cannot be kept.
public struct ContextName {
  /// The name in archives. It must stay the same in all versions of the app.
  public let name: String
  package let registration: any ContextRegistration

  package init(_ name: String, _ registration: any ContextRegistration) {
    self.name = name
    self.registration = registration
  }

  /// Creates a name for a key. The blocks of the key are archived.
  public init<Key: ContextKey>(_ name: String, _ key: Key.Type) {
    self.init(name, KeyRegistration<Key>())
  }

  /// Creates a name for a key with branches. The branches and blocks of the key are archived.
  public init<Key: ContextKey>(_ name: String, _ key: Key.Type)
  where Key.Value: BranchingContext {
    self.init(name, BranchingRegistration<Key>())
  }
}

/// The functions of a registered key. Their callers need not know the key's type.
package protocol ContextRegistration {
  /// The key.
  var key: any ContextKey.Type { get }

  /// Returns the kind of the responder's own slot; nil if it has none.
  func slotKind(at responder: Responder) -> SlotSummary.SlotKind?

  /// Returns whether the responder's own slot has a value that is a child of the context inherited
  /// there.
  func isHandedDown(at responder: Responder) -> Bool

  /// Returns a text that identifies the value in the responder's own slot, such as the id of its
  /// store. It is empty if there is no such value, or no text for it.
  func identity(at responder: Responder) -> String

  /// Adds a branch. Does nothing for a key whose values are no `BranchingContext`.
  func branch(_ policy: BranchPolicy, at responder: Responder)

  /// Blocks the key at the responder.
  func block(at responder: Responder)

  /// Drops the child of the responder's branch, if the child's parent is not the context that the
  /// branch inherits now. The next read then makes another child. A child with unsaved changes is
  /// not dropped.
  ///
  /// - Returns: whether a child of another context stays because it has unsaved changes.
  func remakeBranchChild(at responder: Responder) -> Bool

  /// Returns the context that the responder finds. A branch without a child makes one.
  func resolve(at responder: Responder) -> Resolution<Any>

  /// Returns the context that the responder finds, without making a branch's child. For a branch
  /// without a child, it is the context that the branch inherits.
  func inherited(at responder: Responder) -> Resolution<Any>

  /// Returns the responder that provides the context, and that context; nil if no responder does. A
  /// branch does not count as a provider, because its child is made from a context above it.
  func provider(of responder: Responder) -> (responder: Responder, context: Resolution<Any>)?

  /// Calls the closure each time the responder finds another context. It is called before all other
  /// observers.
  func observeFirst(
    _ responder: Responder, _ onChange: @escaping (Responder) -> Void
  ) -> ContextObservation

  /// Fetches the objects to which references lead, in few requests. Each reference is a text in
  /// UTF-8.
  func prefetch(_ references: [ArraySlice<UInt8>], in context: Any) -> PrefetchedReferences
}

/// The result of prefetching the objects to which references lead.
package struct PrefetchedReferences {
  /// The object that retains the fetched objects.
  let kept: AnyObject?
  /// The references that lead to nothing, each with a text that gives the reason.
  let missing: [ArraySlice<UInt8>: String]

  package init(kept: AnyObject? = nil, missing: [ArraySlice<UInt8>: String] = [:]) {
    self.kept = kept
    self.missing = missing
  }
}

/// The registration of a key whose contexts have no branches.
struct KeyRegistration<Key: ContextKey>: ContextRegistration {
  var key: any ContextKey.Type { Key.self }
  func branch(_ policy: BranchPolicy, at responder: Responder) {}
  func isHandedDown(at responder: Responder) -> Bool { false }
  func remakeBranchChild(at responder: Responder) -> Bool { false }
  func identity(at responder: Responder) -> String { "" }
  func prefetch(_ references: [ArraySlice<UInt8>], in context: Any) -> PrefetchedReferences {
    PrefetchedReferences()
  }
}

/// The registration of a key whose contexts have branches.
package struct BranchingRegistration<Key: ContextKey>: ContextRegistration
where Key.Value: BranchingContext {
  private let identify: (Key.Value) -> String
  private let fetch: ([ArraySlice<UInt8>], Key.Value) -> PrefetchedReferences

  /// Creates a registration. One closure returns a text that identifies a context. The other one
  /// prefetches references in a context.
  package init(
    identify: @escaping (Key.Value) -> String = { _ in "" },
    prefetch: @escaping ([ArraySlice<UInt8>], Key.Value) -> PrefetchedReferences = { _, _ in
      PrefetchedReferences()
    }
  ) {
    self.identify = identify
    fetch = prefetch
  }

  package var key: any ContextKey.Type { Key.self }

  package func isHandedDown(at responder: Responder) -> Bool {
    guard let parent = responder.ownValue(Key.self)?.parent else { return false }
    return responder.resolveWithoutMaking(Key.self, from: .next).value === parent
  }

  package func branch(_ policy: BranchPolicy, at responder: Responder) {
    responder.branch(Key.self, policy)
  }

  package func remakeBranchChild(at responder: Responder) -> Bool {
    guard responder.hasBranchChild(Key.self),
      case .value(let child) = responder.resolveWithoutMaking(Key.self),
      case .value(let inherited) = responder.resolveWithoutMaking(Key.self, from: .next),
      child.parent !== inherited
    else { return false }
    return !responder.remakeCleanBranchChild(Key.self)
  }

  package func identity(at responder: Responder) -> String {
    responder.ownValue(Key.self).map(identify) ?? ""
  }

  package func prefetch(_ references: [ArraySlice<UInt8>], in context: Any) -> PrefetchedReferences
  {
    (context as? Key.Value).map { fetch(references, $0) } ?? PrefetchedReferences()
  }
}

/// A registration that knows the key's type.
private protocol TypedRegistration: ContextRegistration {
  associatedtype Key: ContextKey
}

extension KeyRegistration: TypedRegistration {}
extension BranchingRegistration: TypedRegistration {}

extension TypedRegistration {
  package func slotKind(at responder: Responder) -> SlotSummary.SlotKind? {
    responder.slotKind(Key.self)
  }

  package func block(at responder: Responder) { responder.block(Key.self) }

  package func resolve(at responder: Responder) -> Resolution<Any> {
    responder.resolve(Key.self).erased
  }

  package func inherited(at responder: Responder) -> Resolution<Any> {
    responder.resolveWithoutMaking(Key.self).erased
  }

  package func provider(
    of responder: Responder
  ) -> (responder: Responder, context: Resolution<Any>)? {
    var found = responder.provider(of: Key.self)
    // A branch that has made its child is found as a provider here. Its context comes from above.
    while let branch = found?.responder, case .branch? = branch.slotKind(Key.self),
      let above = branch.nextResponder?.provider(of: Key.self)
    { found = above }
    return found.map { ($0.responder, $0.resolution.erased) }
  }

  package func observeFirst(
    _ responder: Responder, _ onChange: @escaping (Responder) -> Void
  ) -> ContextObservation {
    responder.observeFirst(Key.self) { responder, _ in onChange(responder) }
  }
}

extension ContextState where Failed == any Error {
  /// This state, with its value as `Any`.
  fileprivate var erased: Resolution<Any> {
    switch self {
    case .value(let value): .value(value)
    case .pending: .pending
    case .failed(let error): .failed(error)
    case .missing: .missing
    case .blocked: .blocked
    }
  }
}
