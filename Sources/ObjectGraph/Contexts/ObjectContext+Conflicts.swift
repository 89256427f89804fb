extension ObjectContext {
  /// Applies the conflict policy to an object, if the object is in conflict.
  ///
  /// - Throws: An error that names the conflict, if the policy is `.error`.
  func decide(_ object: GraphObject, _ decisions: Decisions) throws {
    guard let contest = object.contest else { return }
    decisions.record(object)
    if contest.isGone { return try decideOfDeleted(object, decisions) }
    let columns = object.layout.columns.indices.filter(contest.columns.contains)
    let isDeletion = object.phase == .deleted
    switch try decision(
      of: object, columns: isDeletion ? [] : columns, theirs: object.base?.anyValue)
    {
    case .mine: break
    case .theirs where isDeletion:
      object.returnToBase()
      object.phase = .clean
    case .theirs: object.returnToBase(columns)
    case .value(let value):
      try object.accept(value)
      object.phase = .updated
    }
    object.endContest()
  }

  /// Applies the conflict policy to an object that was deleted in the parent or the store.
  private func decideOfDeleted(_ object: GraphObject, _ decisions: Decisions) throws {
    guard object.phase == .updated else {
      // Both sides deleted the object.
      object.phase = .gone
      return
    }
    switch try decision(of: object, columns: [], theirs: nil) {
    case .theirs: object.phase = .gone
    case .value(let value):
      try object.accept(value)
      decisions.replace(object)
      fallthrough
    case .mine:
      // The save inserts the object into the parent or the store again. The base shows that the
      // object existed there before.
      object.phase = .inserted
    }
    object.endContest()
  }

  /// Returns the policy's decision about one conflict.
  ///
  /// - Throws: An error that names the conflict, if the policy is `.error`.
  private func decision(
    of object: GraphObject, columns: [Int], theirs: (any Entity)?
  ) throws -> ConflictPolicy.Decision {
    switch conflictPolicy {
    case .mine: return .mine
    case .theirs: return .theirs
    case .error:
      throw GraphError("save \(object.reference)", .conflict([report(object)]))
    case .resolve(let decide):
      return try decide(
        Conflict(
          object: object, properties: columns.map { object.layout.columns[$0].name },
          base: object.origin, mine: object.anyValue, theirs: theirs))
    }
  }

  /// Returns the report of an object's conflict for an error message.
  func report(_ object: GraphObject) -> ConflictReport {
    let columns = object.contest?.columns ?? object.changedColumns
    let isDeletedHere = object.phase == .deleted
    let isWhole = isDeletedHere || object.contest?.isGone ?? false
    return ConflictReport(
      object: object.reference,
      properties: isWhole
        ? []
        : object.layout.columns.indices.filter(columns.contains).map {
          object.layout.columns[$0].name
        }, isDeletedHere: isDeletedHere)
  }

  /// Makes the save update a kept object instead of inserting it, if the parent or the store has
  /// the object again.
  ///
  /// A kept object was deleted in the parent or the store, and the policy decided to insert it
  /// again.
  func reconsider(_ object: GraphObject, _ decisions: Decisions) throws {
    guard case .table(let table) = object.home,
      let above = try above(object.key, table.entity), !above.isDeleted
    else { return }
    decisions.record(object)
    object.phase = .updated
    object.keepBase(of: above)
  }
}

extension ConflictPolicy {
  /// Whether the policy neither throws nor runs code of the app.
  var isFixed: Bool {
    switch self {
    case .mine, .theirs: true
    case .error, .resolve: false
    }
  }
}

extension [ConflictReport] {
  /// Runs a closure. If it throws an error with conflicts, adds them to the reports. Other errors
  /// are thrown again.
  mutating func collect(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as GraphError {
      guard case .conflict(let more) = error.reason else { throw error }
      self += more
    }
  }
}
