/// The context of a table, as far as objects and drafts know it.
///
/// Objects are declared below contexts and cannot name them. `ObjectContext` is the only type that
/// conforms. Its function is called through the protocol only for a draft that a discard has left
/// behind. Code of contexts uses ``AnyTable/context``.
protocol TableOwner: AnyObject {
  /// Returns the object of an entity with an id, or nil if there is none.
  func instance(_ key: Int64, of type: any Entity.Type) throws -> GraphObject?
}
