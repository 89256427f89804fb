extension ObjectContext {
  /// Runs a closure that edits a new child of this context, and saves the child into the store.
  ///
  /// ```swift
  /// try context.edit { child in
  ///   let card = try child.object(with: id)
  ///   card.question = "2 + 3?"
  /// }
  /// ```
  ///
  /// If the closure or the save throws, all changes of the closure are discarded, and this context
  /// is as before. The save is that of ``saveAll()``, so it also saves what was unsaved in this
  /// context and in the contexts above.
  ///
  /// A call inside the closure of another edit of the same contexts works in a child of the outer
  /// edit's child, and saves only into that. So functions that edit can call each other, and only
  /// the outermost edit commits.
  ///
  /// - Throws: The error of the closure or of the save. Without a store,
  ///   ``GraphError/Reason/disconnected(_:)`` before the closure runs.
  /// - Complexity: That of the closure and of ``saveAll()``.
  @discardableResult
  public func edit<Result>(_ body: (_ child: ObjectContext) throws -> Result) throws -> Result {
    let edit = try OpenEdit(in: self)
    return try edit.finishing {
      try OpenEdit.$runningEdits.withValue(edit.inside) { try body(edit.child) }
    }
  }

  /// Runs a closure that edits a new child of this context, saves the child into the store, and
  /// returns this context's object for the object that the closure returns.
  ///
  /// ```swift
  /// let card = try context.edit { try $0.insert(Card(question: "2 + 2?")) }
  /// ```
  ///
  /// Inside the closure of another edit, the result is the object of that edit's child.
  ///
  /// - Throws: The error of the closure or of the save.
  /// - Complexity: That of the closure and of ``saveAll()``.
  @discardableResult
  public func edit<Value: Entity>(
    _ body: (_ child: ObjectContext) throws -> Object<Value>
  ) throws -> Object<Value> {
    let edit = try OpenEdit(in: self)
    let object = try edit.finishing {
      try OpenEdit.$runningEdits.withValue(edit.inside) { try body(edit.child) }
    }
    return edit.saved(object)
  }

  /// Runs an asynchronous closure that edits a new child of this context, and saves the child into
  /// the store.
  ///
  /// If the closure or the save throws, all changes of the closure are discarded, and this context
  /// is as before. While the closure waits, other code can use this context.
  ///
  /// - Throws: The error of the closure or of the save.
  /// - Complexity: That of the closure and of ``saveAll()``.
  @discardableResult
  public func edit<Result>(
    _ body: (_ child: ObjectContext) async throws -> Result
  ) async throws -> Result {
    let edit = try OpenEdit(in: self)
    return try await edit.finishing {
      try await OpenEdit.$runningEdits.withValue(edit.inside) { try await body(edit.child) }
    }
  }

  /// Runs an asynchronous closure that edits a new child of this context, saves the child into the
  /// store, and returns this context's object for the object that the closure returns.
  ///
  /// - Throws: The error of the closure or of the save.
  /// - Complexity: That of the closure and of ``saveAll()``.
  @discardableResult
  public func edit<Value: Entity>(
    _ body: (_ child: ObjectContext) async throws -> Object<Value>
  ) async throws -> Object<Value> {
    let edit = try OpenEdit(in: self)
    let object = try await edit.finishing {
      try await OpenEdit.$runningEdits.withValue(edit.inside) { try await body(edit.child) }
    }
    return edit.saved(object)
  }
}

/// An edit whose closure is running.
private struct OpenEdit {
  /// The numbers of the edits whose closures are running in the current task, the outermost one
  /// first. They are task-local, so that an edit of another task, which runs while an asynchronous
  /// closure waits, is not taken for an inner one.
  @TaskLocal static var runningEdits: [Int64] = []

  let child: ObjectContext
  /// The context into which the child is saved.
  private let target: ObjectContext
  private let isInner: Bool
  private let number = KeyClock.next()

  init(in context: ObjectContext) throws {
    let family = context.family
    guard context.session.store != nil else {
      throw context.named(GraphError("edit", .disconnected("a draft's object")))
    }
    try context.permitChanges("edit")
    let outer = Self.runningEdits.lazy.reversed().compactMap { family.openEdits[$0] }.first
    isInner = outer != nil
    target = outer.map { context.isDescendant(of: $0) ? context : $0 } ?? context
    child = target.makeChild()
    family.openEdits[number] = child
  }

  /// The numbers inside the closure.
  var inside: [Int64] { Self.runningEdits + [number] }

  /// Runs the closure and saves the child, or discards its changes if one of both throws.
  func finishing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      try save()
      return result
    } catch {
      discard()
      throw error
    }
  }

  /// Runs the closure and saves the child, or discards its changes if one of both throws.
  func finishing<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      let result = try await body()
      try save()
      return result
    } catch {
      discard()
      throw error
    }
  }

  private func save() throws {
    if isInner { try child.save() } else { try child.saveAll() }
    child.family.openEdits[number] = nil
  }

  private func discard() {
    child.family.openEdits[number] = nil
    child.discard()
  }

  /// Returns the object of the context into which the edit was saved.
  func saved<Value: Entity>(_ object: Object<Value>) -> Object<Value> {
    guard object.context === child, case .table(let table) = object.home else { return object }
    let above = target.own(object, in: target.table(table.entity))
    if object.isDeleted { above.phase = .gone }
    return above.typed(Value.self)
  }
}
