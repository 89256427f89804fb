public import ObjectGraph
public import ResponderChain
public import StateRestoration

extension ContextName {
  /// The name for object contexts with the key `ObjectContext`.
  ///
  /// If this name is registered, branches with this key are restored, and so are values that refer
  /// to objects.
  public static var objects: ContextName { objects("objects", ObjectContext.self) }

  /// Returns a name for object contexts with another key, for example the contexts of a second
  /// store.
  public static func objects<Key: ContextKey>(_ name: String, _ key: Key.Type) -> ContextName
  where Key.Value == ObjectContext {
    ContextName(
      name,
      BranchingRegistration<Key>(
        identify: \.storeID, prefetch: { fetch($0, in: $1) },
        holds: { $1.holds($0) },
        part: KeptChangesPart<Key>(name)))
  }

  /// Fetches the objects to which URIs refer, with one request for each 500 objects of an entity.
  ///
  /// Child contexts then find the objects in the given context, and make no request of their own.
  private static func fetch(
    _ uris: [ArraySlice<UInt8>], in context: ObjectContext
  ) -> PrefetchedReferences {
    let found = context.outcomes(of: uris)
    return (found.objects, found.missing.mapValues(\.description))
  }
}
