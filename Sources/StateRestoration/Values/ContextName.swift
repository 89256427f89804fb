public import ResponderChain

/// A registered name of a context key, under which archives refer to the key.
///
/// Without a name, the branches and blocks of a key are not archived, and a value that needs the
/// key's context cannot be kept.
public struct ContextName {
  /// The name in archives, which must stay the same.
  public let name: String
  package let registration: any ContextRegistration

  package init(_ name: String, _ registration: any ContextRegistration) {
    self.name = name
    self.registration = registration
  }

  /// Creates a name of a key whose blocks are archived.
  public init<Key: ContextKey>(_ name: String, _ key: Key.Type) {
    self.init(name, KeyRegistration<Key>())
  }

  /// Creates a name of a key whose branches and blocks are archived.
  public init<Key: ContextKey>(_ name: String, _ key: Key.Type)
  where Key.Value: BranchingContext {
    self.init(name, BranchingRegistration<Key>())
  }
}

/// The functions of a registered key, without the key's type.
package protocol ContextRegistration {
  /// The key.
  var key: any ContextKey.Type { get }

  /// Returns the kind of the responder's own slot; nil if it has none.
  func slotKind(at responder: Responder) -> SlotSummary.SlotKind?

  /// Returns whether the responder provides a child of the context that it inherits.
  func isHandedDown(at responder: Responder) -> Bool

  /// Returns a text that identifies the value that the responder provides; empty if it has none.
  func identity(at responder: Responder) -> String

  /// Adds a branch. Does nothing for a key without branches.
  func branch(_ policy: BranchPolicy, at responder: Responder)

  /// Blocks the key.
  func block(at responder: Responder)

  /// Makes the child of the responder's branch anew at its next read, if it is of another context
  /// than is inherited now and has no unsaved changes.
  ///
  /// - Returns: whether there is a child of another context, which stays.
  func remakeBranchChild(at responder: Responder) -> Bool

  /// Returns the context that the responder finds, after making a branch's child.
  func resolve(at responder: Responder) -> Resolution<Any>

  /// Returns the context that the responder finds, without making a branch's child. Where there is
  /// none yet, it is the context of which the child would be made.
  func inherited(at responder: Responder) -> Resolution<Any>

  /// Returns the responder that provides the context from which the responder's branches are made,
  /// and that context.
  func provider(of responder: Responder) -> (responder: Responder, context: Resolution<Any>)?

  /// Calls the closure before all other observers when the responder finds another context.
  func observeFirst(
    _ responder: Responder, _ onChange: @escaping (Responder) -> Void
  ) -> ContextObservation

  /// Fetches what references mean, in few requests. They are texts in UTF-8.
  func prefetch(_ references: [ArraySlice<UInt8>], in context: Any) -> PrefetchedReferences
}

/// The result of fetching what references mean.
package struct PrefetchedReferences {
  /// The object that keeps what was fetched.
  let kept: AnyObject?
  /// The references that lead to nothing, each with a text that says why.
  let missing: [ArraySlice<UInt8>: String]

  package init(kept: AnyObject? = nil, missing: [ArraySlice<UInt8>: String] = [:]) {
    self.kept = kept
    self.missing = missing
  }
}

/// The registration of a key without branches.
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

/// The registration of a key with branches.
package struct BranchingRegistration<Key: ContextKey>: ContextRegistration
where Key.Value: BranchingContext {
  private let identify: (Key.Value) -> String
  private let fetch: ([ArraySlice<UInt8>], Key.Value) -> PrefetchedReferences

  /// Creates a registration of contexts that are identified and that fetch in advance by closures.
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
    // A branch that has its child already is not where the context comes from.
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
  /// The state with a value of any type.
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
