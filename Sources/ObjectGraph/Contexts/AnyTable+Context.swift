extension AnyTable {
  /// The context of the table; nil after the context has ended.
  ///
  /// The cast is unchecked in release builds, because each access to a relation needs it. This is
  /// safe because `ObjectContext` is the only type that conforms to `TableOwner`.
  @inline(__always)
  final var context: ObjectContext? {
    guard let owner else { return nil }
    return unsafe unsafeDowncast(owner, to: ObjectContext.self)
  }
}

extension ObjectContext: TableOwner {
  func graphObject(_ key: Int64, of type: any Entity.Type) throws -> GraphObject? {
    try graphObject(key, try entity(type, to: "find \(type.layout.name)/\(key)"))
  }
}

extension GraphObject {
  /// The context that fetched or inserted the object; nil while the object is disconnected, and nil
  /// after the context has ended.
  public final var context: ObjectContext? {
    if case .table(let table) = home { table.context } else { nil }
  }
}
