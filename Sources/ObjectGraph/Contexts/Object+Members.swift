extension Object {
  /// The plain struct, a Sendable snapshot of the object.
  ///
  /// Setting this property replaces all properties of the object at once.
  ///
  /// - Complexity: O(1) to read. Setting updates the lists and contexts that follow the object's
  ///   context. It also copies the value if this is the first edit since the last save.
  public var value: Value {
    get { storage }
    set {
      guard willChange() else { return }
      storage = newValue
      didChange()
    }
  }

  /// The value of an attribute, as in `card.question`.
  ///
  /// - Complexity: O(1) to read. Setting updates the lists and contexts that follow the object's
  ///   context. It also copies the value if this is the first edit since the last save.
  @inlinable
  public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
    get { storage[keyPath: path] }
    set {
      guard willChange() else { return }
      storage[keyPath: path] = newValue
      didChange()
    }
  }

  /// The object to which a to-one property refers; nil if the property refers to no object or to a
  /// deleted object.
  ///
  /// Setting the property links the two objects. If this object is in a context, a disconnected
  /// target is inserted there. If both objects are disconnected, nothing is inserted.
  ///
  /// If the target is in another context, the property does not change, and `onError` receives the
  /// error. `ObjectContext.set(_:of:to:)` throws the error instead.
  ///
  /// - Complexity: Reading looks up the target in each context up to the root, and reads one row if
  ///   no context has it. Setting inserts all objects that are linked with a disconnected target.
  ///   If both objects are disconnected, setting is linear in the size of the smaller of their
  ///   drafts.
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

  /// The objects of a to-many property: all objects whose to-one property refers to this object,
  /// including unsaved ones. The oldest object comes first.
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

  /// Returns the object to which a reference points, from this object's context or draft. Returns
  /// nil if there is none. Reports errors to `onError`, and returns nil then too.
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

  /// The error of reading a relation after the object's context has ended.
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
    // The group makes the link and the insertion of the target one change for lists and for undo.
    if let context, let target, target.context == nil {
      try context.group(link)
    } else {
      try link()
    }
  }

  /// Prepares a link to a target. A disconnected target is inserted into this object's context. If
  /// this object is disconnected, its draft records the link, and nothing is inserted.
  ///
  /// - Throws: The reason why the two objects cannot be linked.
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
