public import ObjectGraph
public import ResponderChain
public import SQLiteStorage

/// An object context travels along the tree: it is provided, branched, found and observed.
///
/// ```swift
/// application.provide(store.makeContext())
/// controller.branch(ObjectContext.self)          // works in a child of what it inherits
/// let context = try view.require(ObjectContext.self)
/// ```
extension ObjectContext: BranchingContext {}

extension ObjectContext {
  /// The store in a file that the context, or the root above it, works on: for background work,
  /// checks and backups. It may cross to other isolations.
  public var sqliteStore: SQLiteStore? { root.store as? SQLiteStore }
}
