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

extension GraphObject {
  /// Prepares for a change of the value, and returns true. If the value cannot be changed, reports
  /// the reason to `onError` and returns false.
  @usableFromInline
  final func willChange() -> Bool {
    do {
      try permitChange()
      return true
    } catch {
      report(error)
      return false
    }
  }

  /// Prepares for a change of the value.
  ///
  /// - Throws: The reason why the value cannot be changed.
  final func permitChange() throws {
    switch phase {
    case .lone: break
    case .inserted, .updated:
      guard case .table(let table) = home else { return }
      if table.hasEnded { throw GraphError("change \(reference)", .ended) }
      try table.permit.check("change \(reference)")
      if table.isWatched { table.context?.willChange(self) }
      table.indexEdit(of: self)
    case .clean:
      guard case .table(let table) = home, let context = table.context else {
        throw GraphError("change \(reference)", .ended)
      }
      try table.permit.check("change \(reference)")
      if table.isWatched { context.willChange(self) }
      keepBase()
      phase = .updated
      context.noteChange(self, in: table)
    case .deleted, .gone:
      throw GraphError("change \(reference)", .deleted(reference))
    }
  }

  /// Notifies the object's draft, or the lists and child contexts of the object's context, that the
  /// value has changed.
  @usableFromInline
  final func didChange() {
    switch home {
    case .nowhere: break
    case .draft(let draft): draft.keep(self)
    case .table(let table):
      if table.isWatched { table.context?.didChange(self) }
    }
  }

  final func report(_ error: any Error) {
    if case .table(let table) = home, let context = table.context {
      context.report(error)
    } else {
      ObjectContext.printFault("\(error)")
    }
  }
}
