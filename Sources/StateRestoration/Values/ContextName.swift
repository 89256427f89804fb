public import ResponderChain

/// A name by which archives refer to a context key.
///
/// If a key has no name, its branches and blocks are not archived, and a value that needs the key's
/// context cannot be archived.
public struct ContextName {
  /// The name in archives. It must stay the same in all versions of the app.
  public let name: String
  package let registration: ContextRegistration

  package init(_ name: String, _ registration: ContextRegistration) {
    self.name = name
    self.registration = registration
  }

  /// Creates a name for a key. The blocks of the key are archived.
  public init<Key: ContextKey>(_ name: String, _ key: Key.Type) {
    self.init(name, ContextRegistration(key))
  }

  /// Creates a name for a key with branches. The branches and blocks of the key are archived.
  public init<Key: ContextKey>(_ name: String, _ key: Key.Type)
  where Key.Value: BranchingContext {
    self.init(name, BranchingRegistration<Key>())
  }
}

/// The functions of a registered key, for callers that do not know the key's type. The contexts of
/// the key have no branches, except for those of a subclass.
package class ContextRegistration {
  final let key: any ContextKey.Type

  fileprivate init(_ key: any ContextKey.Type) { self.key = key }

  /// The part that the contexts' unsaved changes have in records; nil if they have none.
  var part: (any RecordPart)? { nil }

  /// Returns whether the responder finds a context. The search makes no child of a branch.
  final func isFound(at responder: Responder) -> Bool { responder.finds(key) }

  /// Returns the context that the responder finds; nil if there is none, or if it is not an object.
  /// If the responder finds a branch without a child, the child is made.
  final func context(at responder: Responder) -> AnyObject? { responder.object(for: key) }

  /// Returns the same as ``context(at:)``, but makes no child. For a branch without a child,
  /// returns the context that the branch inherits.
  final func inherited(at responder: Responder) -> AnyObject? { responder.objectWithoutMaking(key) }

  /// Blocks the key at the responder.
  final func block(at responder: Responder) { responder.block(key, .restored) }

  /// Adds a branch at the responder, if the contexts have branches. `isKept` says whether its unsaved
  /// changes are archived.
  func branch(_ policy: BranchPolicy, isKept: Bool, at responder: Responder) {}

  /// Returns whether the responder's own slot has a value that is a child of the context which the
  /// responder inherits.
  ///
  /// If the responder is not linked yet, the list has the responders that will be above it, the
  /// nearest first. The last of them is linked already.
  func isHandedDown(at responder: Responder, below above: [Responder]) -> Bool { false }

  /// Returns a text that identifies the value in the responder's own slot, such as the id of its
  /// store. The text is empty if there is none.
  func identity(at responder: Responder) -> String { "" }

  /// Drops the child of the responder's branch if the branch now inherits another context than its
  /// parent. Returns whether the child stays, because it has unsaved changes.
  func remakeBranchChild(at responder: Responder) -> Bool { false }

  /// Returns the responder that provides the context, and that context; nil if there is none, or if
  /// its references cannot be prefetched. A responder with a branch does not count, because the
  /// branch's child is made from a context above.
  func provider(of responder: Responder) -> (responder: Responder, context: AnyObject)? { nil }

  /// Returns whether the context that a responder finds, or one above it, holds the object of a
  /// reference already. Makes no child, and reads no store.
  func holds(_ reference: ArraySlice<UInt8>, at responder: Responder) -> Bool { false }

  /// Fetches the objects of many references in few requests. Each reference is a text in UTF-8.
  func prefetch(
    _ references: [ArraySlice<UInt8>], in context: AnyObject
  ) -> PrefetchedReferences { (nil, [:]) }
}

/// The result of fetching the objects of many references: a value that retains the objects, and the
/// references that lead to nothing, each with the reason.
package typealias PrefetchedReferences = (kept: Any?, missing: [ArraySlice<UInt8>: String])

/// The registration of a key with contexts that have branches.
package final class BranchingRegistration<Key: ContextKey>: ContextRegistration
where Key.Value: BranchingContext {
  private let identify: (Key.Value) -> String
  private let fetch: ([ArraySlice<UInt8>], Key.Value) -> PrefetchedReferences
  private let held: (ArraySlice<UInt8>, Key.Value) -> Bool
  private let branchKey = BranchKey(Key.self)
  override var part: (any RecordPart)? { changes }
  private let changes: (any RecordPart)?

  /// Creates a registration. The closures do the work of ``identity(at:)``, ``prefetch(_:in:)`` and
  /// ``holds(_:at:)``.
  package init(
    identify: @escaping (Key.Value) -> String = { _ in "" },
    prefetch: @escaping ([ArraySlice<UInt8>], Key.Value) -> PrefetchedReferences = { _, _ in
      (nil, [:])
    },
    holds: @escaping (ArraySlice<UInt8>, Key.Value) -> Bool = { _, _ in false },
    part: (any RecordPart)? = nil
  ) {
    self.identify = identify
    changes = part
    held = holds
    fetch = prefetch
    super.init(Key.self)
  }

  override func branch(_ policy: BranchPolicy, isKept: Bool, at responder: Responder) {
    responder.branch(branchKey, policy, isKept: isKept, origin: .restored)
  }

  override func isHandedDown(at responder: Responder, below above: [Responder]) -> Bool {
    guard let parent = responder.ownValue(Key.self)?.parent else { return false }
    guard let decider = above.first(where: { $0.slotKind(key) != nil }) ?? above.last else {
      return responder.resolveWithoutMaking(Key.self, from: .next).value === parent
    }
    return decider.resolveWithoutMaking(Key.self).value === parent
  }

  override func identity(at responder: Responder) -> String {
    responder.ownValue(Key.self).map(identify) ?? ""
  }

  override func remakeBranchChild(at responder: Responder) -> Bool {
    guard responder.hasBranchChild(Key.self),
      case .value(let child) = responder.resolveWithoutMaking(Key.self),
      case .value(let inherited) = responder.resolveWithoutMaking(Key.self, from: .next),
      child.parent !== inherited || responder.inheritsUnmadeChild(Key.self)
    else { return false }
    return !responder.remakeCleanBranchChild(Key.self)
  }

  override func provider(
    of responder: Responder
  ) -> (responder: Responder, context: AnyObject)? {
    var found = responder.provider(of: key)
    // Here, a branch with a child counts as a provider. The child is made from a context above, so
    // the search continues above the branch.
    while let branch = found?.responder, case .branch? = branch.slotKind(key),
      let above = branch.nextResponder?.provider(of: key)
    { found = above }
    guard let found, let context = found.object else { return nil }
    return (found.responder, context)
  }

  override func holds(_ reference: ArraySlice<UInt8>, at responder: Responder) -> Bool {
    (inherited(at: responder) as? Key.Value).map { held(reference, $0) } ?? false
  }

  override func prefetch(
    _ references: [ArraySlice<UInt8>], in context: AnyObject
  ) -> PrefetchedReferences {
    (context as? Key.Value).map { fetch(references, $0) } ?? (nil, [:])
  }
}
