extension AnyTable {
  /// The context whose table it is; nil when that has ended.
  ///
  /// The cast is not checked in release builds, because each relation that is followed makes it. It
  /// is safe because `ObjectContext` is the only type that conforms to `TableOwner`.
  @inline(__always)
  final var context: ObjectContext? {
    guard let owner else { return nil }
    return unsafe unsafeDowncast(owner, to: ObjectContext.self)
  }
}

extension ObjectContext: TableOwner {
  func instance(_ key: Int64, of type: any Entity.Type) throws -> GraphObject? {
    try instance(key, try entity(type, to: "find \(type.layout.name)/\(key)"))
  }
}

extension GraphObject {
  /// The context the object was fetched by or inserted into; nil while it is disconnected, and
  /// after its context has ended.
  public final var context: ObjectContext? {
    if case .table(let table) = home { table.context } else { nil }
  }
}
