extension Object {
  /// The plain struct: a snapshot, Sendable, which never changes.
  ///
  /// Setting it replaces all properties at once.
  public var value: Value {
    get { storage }
    set {
      guard willChange() else { return }
      storage = newValue
      didChange()
    }
  }

  /// An attribute of the value.
  @inlinable
  public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
    get { storage[keyPath: path] }
    set {
      guard willChange() else { return }
      storage[keyPath: path] = newValue
      didChange()
    }
  }

  /// The object a to-one property refers to; nil if there is none, or none any more.
  ///
  /// Setting it links the two. A disconnected target is inserted with this object's context; a
  /// target in another context is refused, which `onFault` hears; `ObjectContext.set(_:of:to:)`
  /// throws instead.
  public subscript<Target: Entity>(
    dynamicMember path: WritableKeyPath<Value, Ref<Target>?>
  ) -> Object<Target>? {
    get {
      guard let ref = storage[keyPath: path] else { return nil }
      return find(ref)
    }
    set {
      do {
        try link(path, to: newValue)
      } catch {
        report(error)
      }
    }
  }

  /// The objects whose to-one property refers to this one, oldest first, unsaved ones included.
  public subscript<Target: Entity>(
    dynamicMember path: KeyPath<Value, Many<Target>>
  ) -> [Object<Target>] {
    guard let column = storage[keyPath: path].inverseOffset.flatMap(Target.layout.column(at:))
    else { return [] }
    switch home {
    case .nowhere: return []
    case .draft(let draft): return draft.members(Target.self, column: column, of: key)
    case .table(let table):
      do {
        guard let context = table.context else { throw ended }
        return try context.members(Target.self, column: column, of: key)
      } catch {
        report(error)
        return []
      }
    }
  }

  /// The object a reference means where this object lives.
  private func find<Target: Entity>(_ ref: Ref<Target>) -> Object<Target>? {
    do {
      switch home {
      case .nowhere: return nil
      case .draft(let draft): return try draft.find(ref)
      case .table(let table):
        guard let context = table.context else { throw ended }
        return try context.find(ref)
      }
    } catch {
      report(error)
      return nil
    }
  }

  /// The error that a relation is followed whose context has ended.
  private var ended: GraphError { GraphError("follow a relation of \(reference)", .ended) }

  func link<Target: Entity>(
    _ path: WritableKeyPath<Value, Ref<Target>?>, to target: Object<Target>?
  ) throws {
    func link() throws {
      if isDeleted { throw GraphError("change \(reference)", .deleted(reference)) }
      if let target { try meet(target) }
      guard try permitChange() else { return }
      storage[keyPath: path] = target?.id
      didChange()
    }
    // A target that comes along is one change with the link.
    if let context, let target, target.context == nil {
      try context.group(link)
    } else {
      try link()
    }
  }

  /// Brings a target to where this object lives, or tells why it cannot be.
  private func meet(_ target: GraphObject) throws {
    switch (home, target.home) {
    case (.table(let mine), .table(let other)):
      guard let context = mine.context else { throw refusal(.ended) }
      guard context === other.context else { throw refusal(.otherContext) }
    case (.table(let mine), _):
      guard let context = mine.context else { throw refusal(.ended) }
      try context.insertDraft(of: target)
    default:
      Draft.link(self, target)
    }
  }

  private func refusal(_ reason: GraphError.Reason) -> GraphError {
    GraphError("link \(reference)", reason)
  }
}
