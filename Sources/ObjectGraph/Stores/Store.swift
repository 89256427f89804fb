/// A store of objects: in memory, in a file, or on a server.
///
/// A program that leaves open where its objects are takes any store:
///
/// ```swift
/// func serve(_ store: some Store) throws {
///   let context = store.makeContext()
/// }
/// ```
public protocol Store: AnyObject, Sendable {
  /// The id of the store, which is part of each object's URI.
  var id: String { get }
  /// The part of the store that contexts need. Only the stores of Lineage can make it; another type can
  /// pass on that of a store.
  var access: StoreAccess { get }
}

/// The part of a store that contexts need.
public struct StoreAccess: Sendable {
  package let store: any ObjectStore
  let queue: BackgroundQueue

  package init(_ store: any ObjectStore, _ queue: BackgroundQueue) {
    self.store = store
    self.queue = queue
  }
}
