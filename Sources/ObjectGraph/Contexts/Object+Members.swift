extension Object {
  /// The plain struct, a Sendable snapshot of the object.
  ///
  /// Setting it replaces all properties of the object at once.
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

  /// The object to which a to-one property refers; nil if it refers to none, or to a deleted
  /// object.
  ///
  /// Setting it links the two objects. If this object is in a context, a disconnected target is
  /// inserted there; if it is disconnected too, nothing is inserted. A target in another context is
  /// refused and reported to `onFault`; `ObjectContext.set(_:of:to:)` throws instead.
  ///
  /// - Complexity: A lookup in each context up to the root, and one row read if none has the
  ///   target. Setting it inserts all objects that are linked with a disconnected target.
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

  /// The objects whose to-one property refers to this object, oldest first, including unsaved ones.
  ///
  /// - Complexity: One query of the store, and a sort of the objects. Unsaved objects are found by
  ///   an index.
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

  /// Returns the object to which a reference points, in this object's context or draft.
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

  /// The error of an access to a relation after the object's context has ended.
  private var ended: GraphError { GraphError("follow a relation of \(reference)", .ended) }

  /// Makes a to-one property refer to the target, or to no object if the target is nil.
  func link<Target: Entity>(
    _ path: WritableKeyPath<Value, Ref<Target>?>, to target: Object<Target>?
  ) throws {
    func link() throws {
      if isDeleted { throw GraphError("change \(reference)", .deleted(reference)) }
      if let target { try meet(target) }
      try permitChange()
      storage[keyPath: path] = target?.id
      didChange()
    }
    // Lists and undo see one change if the target is inserted, too.
    if let context, let target, target.context == nil {
      try context.group(link)
    } else {
      try link()
    }
  }

  /// Inserts a disconnected target into this object's context. If this object is disconnected too,
  /// joins both in one draft and inserts nothing.
  ///
  /// - Throws: The reason why the two cannot be linked.
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
