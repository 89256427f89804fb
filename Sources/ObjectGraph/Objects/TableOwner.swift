/// The context of a table, as far as objects and drafts know it.
///
/// Objects lie below contexts and cannot name them. `ObjectContext` is the only type that conforms.
/// Its functions are called through the protocol only where a draft is left behind by a discard;
/// code of contexts asks for ``AnyTable/context``.
protocol TableOwner: AnyObject {
  /// Returns the object of an entity with an id, or nil if there is none.
  func instance(_ key: Int64, of type: any Entity.Type) throws -> GraphObject?
}
