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
  /// The part of the store that contexts need. Only the stores of Lineage can make it; another type can pass on
  /// that of a store.
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

extension Store {
  /// Returns a new root context of the store.
  ///
  /// - Complexity: Linear in the number of entities.
  public func makeContext() -> ObjectContext { ObjectContext(store: access.store) }

  /// The commits to this store as a sequence, also those of other processes.
  public var commits: StoreCommits { StoreCommits(of: access.store) }

  /// Runs a closure in a new context on the store's background thread, then saves the changes that
  /// the closure did not save itself.
  ///
  /// Closures run one after the other. If a closure throws, or if the caller's task is cancelled,
  /// the unsaved changes of the closure are discarded.
  ///
  /// A closure that is one expression returns the value of the expression. If the value is an
  /// object, the compiler reports "type 'Object<Card>' does not conform to the 'Sendable'
  /// protocol". Assign the object to `_` instead:
  ///
  /// ```swift
  /// try await store.background { context, _ in _ = try context.insert(Card(question: "2 + 2?")) }
  /// ```
  ///
  /// - Complexity: That of the closure, of ``makeContext()`` and of ``ObjectContext/save()``.
  public func background<Result: Sendable>(
    progress: (@Sendable (WorkProgress) -> Void)? = nil,
    _ work: @escaping @Sendable (ObjectContext, WorkProgress) throws -> Result
  ) async throws -> Result {
    try await access.queue.run(on: access.store, progress: progress, work)
  }
}
