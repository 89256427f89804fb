/// A static name under which a value is provided and looked up in the tree.
///
/// A type that *is* a context is its own key (see ``Context``). A key of its own is needed for a
/// second context of the same type, for a class that is not final, and for a protocol:
///
/// ```swift
/// enum Catalogue: ContextKey { typealias Value = ObjectContext }
/// controller.provide(catalogue, for: Catalogue.self)
/// ```
public protocol ContextKey<Value>: SendableMetatype {
  /// The type of the values that are provided under the key.
  associatedtype Value

  /// The value that `context(_:)` of a responder returns where no value is found; `nil` by default.
  static var fallback: Value? { get }
}

extension ContextKey {
  /// No fallback.
  public static var fallback: Value? { nil }
}

/// A type that is its own key, under which its instances are provided and looked up.
public protocol Context: ContextKey where Value == Self {}

/// A context that can make children of itself, such as an object context.
///
/// A branch of the tree (``Responder/branch(_:_:)``) makes a child of the inherited context, which
/// all responders below it find.
public protocol BranchingContext: Context, AnyObject {
  /// Makes a child of this context, whose ``parent`` is this context.
  ///
  /// A branch calls this at the branch's first use. The function may change the tree, but it must
  /// not read the branch for which it is called. If it replaces the inherited context, a following
  /// branch makes another child at its next read.
  func makeChild() -> Self

  /// The context that made this one; `nil` for a context without a parent.
  var parent: Self? { get }

  /// Whether changes of this context would be lost if it were released; `false` by default.
  var hasUnsavedChanges: Bool { get }

  /// Whether a context below this one has unsaved changes, which can be saved only through this
  /// one; `false` by default.
  var hasUnsavedChangesBelow: Bool { get }

  /// Saves the unsaved changes to the parent. Does nothing by default.
  func save() throws

  /// Saves the unsaved changes to the parent, and from there on to each further parent.
  ///
  /// It is called when a drifting branch is withdrawn with `.save`, because perhaps no branch holds
  /// the contexts above it any more. It calls ``save()`` by default.
  func saveAll() throws

  /// Discards the unsaved changes. Does nothing by default.
  func discard()
}

extension BranchingContext {
  /// False, for a context that has no changes of its own.
  public var hasUnsavedChanges: Bool { false }

  /// False, for a context without contexts below it.
  public var hasUnsavedChangesBelow: Bool { false }

  /// Does nothing, because there are no changes to save.
  public func save() throws {}

  /// Calls ``save()``, because by default there are no further parents.
  public func saveAll() throws { try save() }

  /// Does nothing, because there are no changes to discard.
  public func discard() {}
}
