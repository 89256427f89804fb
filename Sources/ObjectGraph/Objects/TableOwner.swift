/// The context of a table, declared as a protocol for objects and drafts.
///
/// Objects are in a layer below contexts and cannot name them. `ObjectContext` is the only type
/// that conforms. Only a draft calls the function, to look up objects in the context that discarded
/// objects into the draft. Code of contexts uses ``AnyTable/context`` instead.
protocol TableOwner: AnyObject {
  /// Returns the object of an entity with an id; nil if there is none.
  func graphObject(_ key: Int64, of type: any Entity.Type) throws -> GraphObject?
}
