extension ObjectContext {
  /// Saves the unsaved changes into the parent context or, if this is a root, into the store.
  ///
  /// If a save throws, nothing is saved and the context has the same changes as before. The
  /// decisions of the policy are taken back too, and the next save asks the policy again.
  ///
  /// A successful save ends the undo history. After a save into the store, reads see the store's
  /// newest state. A save into the store first calls the ``WillSave`` of its objects.
  ///
  /// - Complexity: Linear in the number of changed objects.
  public func save() throws { try save(hooks: .on) }

  /// Saves as ``save()`` does, with or without calls of ``WillSave/willSave(_:)``.
  ///
  /// - Complexity: Linear in the number of changed objects.
  public func save(hooks: SaveHooks) throws {
    try permitChanges("save", parent ?? self)
    try naming { try readingToEnd { try family.operation.run { try saveOnce(hooks) } } }
  }

  private func saveOnce(_ hooks: SaveHooks) throws {
    let hadChanges = needsReceipts
    if let parent {
      try merger.mergeUnknownRows(self)
      var judged = JudgedObjects.notRemembered
      // Their hooks, which come before their validation, are called by the save into the store.
      judged.leavesOutHooks = true
      try ParentSave(of: self, to: parent).run(&judged)
      let counts = nextCounts(hadChanges)
      parent.takeCounts(counts)
      didSave(counts)
    } else if let store = session.store {
      try StoreSave(of: self, to: store, HookResults(hooks, store), hadChanges).run()
    } else if hasUnsavedChanges {
      throw GraphError("save a draft", .disconnected("a draft's object"))
    }
    // The undo history ends before observers are called, so that their changes can be undone.
    undoLog?.forget()
    family.operation.didSave()
  }

  /// Saves this context and all contexts above it into the store, in one commit.
  ///
  /// The result is that of ``save()`` here, then in the parent, and so on up to the root. If one of
  /// these saves would throw, nothing is saved, in no context. So a form can be cancelled after its
  /// save was refused.
  ///
  /// The unsaved changes of the contexts above are saved too; those of other contexts below them are
  /// not. Observers hear of the save when it has succeeded. The conflict policy of the highest
  /// context that has edited a property decides about a conflict of the property.
  ///
  /// - Throws: The error of the lowest context that cannot be saved. ``GraphError/Reason/saving`` if
  ///   the closure of a policy or a validation saves, merges, discards or undoes in one of these
  ///   contexts. After ``GraphError/Reason/unknownOutcome(_:)``, the changes may be stored or not.
  /// - Complexity: Linear in the number of changed objects of all these contexts, whose values are
  ///   copied once for each context above.
  public func saveAll() throws { try saveAll(hooks: .on) }

  /// Saves as ``saveAll()`` does, with or without calls of ``WillSave/willSave(_:)``.
  ///
  /// - Complexity: That of ``saveAll()``.
  public func saveAll(hooks: SaveHooks) throws {
    guard let store = session.store else {
      throw named(GraphError("save to the store", .disconnected("a draft's object")))
    }
    guard parent != nil else { return try save(hooks: hooks) }
    try permitChanges("save", root)
    try readingToEnd {
      try family.operation.run {
        try ChainSave(from: self, to: store, HookResults(hooks, store)).run()
        family.operation.didSave()
      }
    }
  }

  /// Throws an error if code is running that must only read, or that must not change what a save of
  /// several contexts is about to save.
  ///
  /// - Parameters:
  ///   - attempted: The attempt, as the end of a sentence that begins with "could not".
  ///   - changed: A context that the attempt changes as a whole; nil if it changes objects, which a
  ///     save does not forbid.
  /// - Throws: The reason why nothing may change.
  func permitChanges(
    _ attempted: @autoclosure () -> String, _ changed: ObjectContext? = nil
  ) throws {
    if let changed, let error = family.chainSave?.refusal(of: attempted(), in: changed) {
      throw error
    }
    do { try family.permit.check(attempted()) } catch { throw named(error) }
  }

  /// Returns whether ``permitChanges(_:_:)`` permits a call that cannot throw. Otherwise reports the
  /// error; a save of several contexts throws its own.
  func permits(_ attempted: String) -> Bool {
    if family.chainSave?.refusal(of: attempted, in: self) != nil { return false }
    do {
      try permitChanges(attempted)
      return true
    } catch {
      report(error)
      return false
    }
  }

  /// Throws an error if new or changed objects must not be saved. The error has the problems of all
  /// these objects.
  func validate(_ judged: inout JudgedObjects) throws {
    var invalid: [InvalidObject] = []
    for (entity, objects) in changes.lists.enumerated() {
      if judged.leavesOutHooks, model.layouts[entity].hasHook { continue }
      let ends = model.linkEnds[entity]
      for object in objects where object.phase == .inserted || object.phase == .updated {
        judged.judge(object, entity, ends, &invalid)
      }
    }
    if !invalid.isEmpty { throw GraphError("save", .invalid(invalid)) }
  }
}

/// The objects that a save of several contexts has validated. Each object is validated once, with the
/// value that would be stored.
struct JudgedObjects {
  private var rows: Set<RowKey>?
  /// Whether entities with hooks are left out for now, because their hooks are called later.
  var leavesOutHooks = false

  /// For a save of one context, which sees each object once.
  static let notRemembered = JudgedObjects(rows: nil)
  /// For a save of several contexts, before the first of them.
  static let remembered = JudgedObjects(rows: [])

  /// Adds an object to the list of invalid objects if its value must not be saved, or if one of the
  /// given to-one columns is nil. Does nothing if the object was validated in a context below.
  @inline(__always)
  mutating func judge(
    _ object: GraphObject, _ entity: Int, _ ends: [Int], _ invalid: inout [InvalidObject]
  ) {
    if rows?.insert(RowKey(entity: entity, key: object.key)).inserted ?? true {
      var problems = object.problems
      for end in ends where object.target(of: end) == nil {
        problems.append(Problem(object.layout.columns[end].name, "must lead to an object"))
      }
      guard !problems.isEmpty else { return }
      invalid.append(InvalidObject(object: object.reference, problems: problems))
    }
  }

  /// Makes the next context validate objects again, because a policy has changed them.
  mutating func forget(_ objects: some Sequence<GraphObject>) {
    guard rows != nil else { return }
    for case let row? in objects.lazy.map(\.row) { rows?.remove(row) }
  }
}
