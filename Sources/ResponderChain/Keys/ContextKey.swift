/// A type that serves as a name: values are provided and looked up under it in the tree.
///
/// A type that conforms to ``Context`` is its own key. A separate key is needed for a second
/// context of the same type, for a class that is not final, and for a protocol:
///
/// ```swift
/// enum Catalogue: ContextKey { typealias Value = ObjectContext }
/// controller.provide(catalogue, for: Catalogue.self)
/// ```
public protocol ContextKey<Value>: SendableMetatype {
  /// The type of the values that are provided under the key.
  associatedtype Value

  /// The value that `context(_:)` and `require(_:)` of a responder return if they find no value;
  /// `nil` by default.
  static var fallback: Value? { get }
}

extension ContextKey {
  /// The default, `nil`: there is no fallback.
  public static var fallback: Value? { nil }
}

/// A type that is its own key. Instances of the type are provided and looked up under it.
public protocol Context: ContextKey where Value == Self {}

/// A context that can make child contexts, such as an object context.
///
/// A branch makes a child of the inherited context. The branch's responder, and all responders
/// below, find that child. ``Responder/branch(_:_:file:line:)`` adds a branch.
public protocol BranchingContext: Context, AnyObject {
  /// Makes a child context. The child's ``parent`` is this context.
  ///
  /// A branch calls this function at the first use of the branch. The function may change the tree,
  /// but it must not read the branch that called it. If the function replaces the inherited
  /// context, a branch with the policy `.follow` makes another child at its next read.
  func makeChild() -> Self

  /// The context that made this one; `nil` for a context without a parent.
  var parent: Self? { get }

  /// Whether this context has changes that would be lost if it were released; `false` by default.
  var hasUnsavedChanges: Bool { get }

  /// Whether a context below this one has unsaved changes; `false` by default. That context can
  /// save its changes only through this one.
  var hasUnsavedChangesBelow: Bool { get }

  /// Saves the unsaved changes to the parent. Does nothing by default.
  func save() throws

  /// Saves the unsaved changes to the parent, then from there to the parent's parent, and so on.
  ///
  /// A conforming type must save all of them or, if it throws, nothing, in none of these contexts. A
  /// form can then be cancelled after its save was refused. The default calls ``save()``, which is
  /// enough for a context whose parent saves nothing.
  ///
  /// This function is called when a branch is withdrawn with `.saveAll`, and when a drifting branch
  /// is withdrawn with `.save`. The parents of the branch's child may belong to no branch any more,
  /// so the changes in these parents would be lost otherwise.
  func saveAll() throws

  /// Discards the unsaved changes. Does nothing by default.
  func discard()
}

extension BranchingContext {
  /// The default, `false`, for a context that has no changes of its own.
  public var hasUnsavedChanges: Bool { false }

  /// The default, `false`, for a context without contexts below it.
  public var hasUnsavedChangesBelow: Bool { false }

  /// Does nothing, because there are no changes to save.
  public func save() throws {}

  /// Calls ``save()``, because by default there are no further parents.
  public func saveAll() throws { try save() }

  /// Does nothing, because there are no changes to discard.
  public func discard() {}
}
