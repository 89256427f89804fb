public import ObjectGraph
public import ResponderChain
public import StateRestoration

extension ContextName {
  /// The name of the object contexts whose key is `ObjectContext` itself.
  ///
  /// If it is registered, branches of `ObjectContext` are restored, and so are values that refer to
  /// objects.
  public static var objects: ContextName { objects("objects", ObjectContext.self) }

  /// Returns a name of object contexts under another key, as for a second store.
  public static func objects<Key: ContextKey>(_ name: String, _ key: Key.Type) -> ContextName
  where Key.Value == ObjectContext {
    ContextName(
      name,
      BranchingRegistration<Key>(
        identify: \.storeID, prefetch: { fetch($0, in: $1) }))
  }

  /// Fetches the objects of references by one request for each entity and 500 objects.
  ///
  /// Contexts below find the objects here without a request of their own.
  private static func fetch(
    _ uris: [ArraySlice<UInt8>], in context: ObjectContext
  ) -> PrefetchedReferences {
    let found = context.outcomes(of: uris)
    return PrefetchedReferences(
      kept: FetchedObjects(found.objects), missing: found.missing.mapValues(\.description))
  }
}

/// The objects that were fetched for values which are read later.
private final class FetchedObjects {
  private let objects: [GraphObject]

  init(_ objects: [GraphObject]) { self.objects = objects }
}
