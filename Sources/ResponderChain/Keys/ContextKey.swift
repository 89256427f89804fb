/// What is looked up: a static name for a value that travels along the tree.
///
/// A type that *is* a context is its own key (see ``Context``). A second context of the same type,
/// a class that is not final, or a protocol gets a key of its own:
///
/// ```swift
/// enum Catalogue: ContextKey { typealias Value = ObjectContext }
/// controller.provide(catalogue, for: Catalogue.self)
/// ```
public protocol ContextKey<Value>: SendableMetatype {
  /// The type of what is found under the key.
  associatedtype Value

  /// What `context(_:)` of a responder returns where nobody provides a value; `nil` by default.
  static var fallback: Value? { get }
}

extension ContextKey {
  /// No value stands in for a missing one unless the key says so.
  public static var fallback: Value? { nil }
}

/// A type that is looked up under its own name.
public protocol Context: ContextKey where Value == Self {}

/// A context that can make children of itself, as an object context does.
///
/// Branches of the tree (``Responder/branch(_:_:)``) ask the inherited context for a child and hand
/// it to everybody below.
public protocol BranchingContext: Context, AnyObject {
  /// A new context whose ``parent`` is this one.
  func makeChild() -> Self

  /// The context that made this one; `nil` for a root.
  var parent: Self? { get }

  /// Whether throwing this context away would lose something; `false` by default.
  var hasUnsavedChanges: Bool { get }

  /// Whether contexts made of this one, or of those, have unsaved changes, which they could hand to
  /// nobody without it; `false` by default.
  var hasUnsavedChangesBelow: Bool { get }

  /// Hands the unsaved changes to the parent; does nothing by default.
  func save() throws

  /// Hands the unsaved changes to the parent, and from there on as far as they go: what a branch
  /// does that is left while it drifts, since what is above it may be nobody's by then. The same as
  /// ``save()`` by default.
  func saveAll() throws

  /// Forgets the unsaved changes; does nothing by default.
  func discard()
}

extension BranchingContext {
  /// A context without edits of its own has nothing to lose.
  public var hasUnsavedChanges: Bool { false }

  /// Nobody below has anything to lose.
  public var hasUnsavedChangesBelow: Bool { false }

  /// Does nothing: there is nothing to save.
  public func save() throws {}

  /// One level is all there is.
  public func saveAll() throws { try save() }

  /// Does nothing: there is nothing to forget.
  public func discard() {}
}
