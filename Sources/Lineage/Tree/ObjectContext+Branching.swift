public import ObjectGraph
public import ResponderChain

/// An object context can be a context of a tree. Responders can provide, branch, resolve and
/// observe it.
///
/// ```swift
/// application.provide(store.makeContext())
/// controller.branch(ObjectContext.self)          // works in a child of what it inherits
/// let context = try view.require(ObjectContext.self)
/// ```
extension ObjectContext: BranchingContext {}
