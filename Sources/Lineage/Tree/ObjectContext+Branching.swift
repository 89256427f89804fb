public import ObjectGraph
public import ResponderChain

/// An object context can be provided, branched, found and observed in a tree.
///
/// ```swift
/// application.provide(store.makeContext())
/// controller.branch(ObjectContext.self)          // works in a child of what it inherits
/// let context = try view.require(ObjectContext.self)
/// ```
extension ObjectContext: BranchingContext {}
