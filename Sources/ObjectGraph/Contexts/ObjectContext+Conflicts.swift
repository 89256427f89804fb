extension ObjectContext {
  /// Lets the policy decide the object's conflict, if the object has one.
  ///
  /// - Throws: The conflict, if the policy is `.error`.
  func decide(_ object: GraphObject) throws {
    guard let contest = object.contest else { return }
    note(object)
    if contest.isGone { return try decideOfDeleted(object) }
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

  /// Lets the policy decide about an object that was deleted in the parent or the store.
  private func decideOfDeleted(_ object: GraphObject) throws {
    guard object.phase == .updated else {
      // Both sides deleted the object.
      object.phase = .gone
      return
    }
    switch try decision(of: object, columns: [], theirs: nil) {
    case .theirs: object.phase = .gone
    case .value(let value):
      try object.accept(value)
      fallthrough
    case .mine:
      // For the store or parent, the object is new. Its base shows that it was there before.
      object.phase = .inserted
    }
    object.endContest()
  }

  /// Returns the policy's decision about one conflict.
  ///
  /// - Throws: The conflict, if the policy is `.error`.
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
    let isWhole = object.phase == .deleted || object.contest?.isGone ?? false
    return ConflictReport(
      object: object.reference,
      properties: isWhole
        ? []
        : object.layout.columns.indices.filter(columns.contains).map {
          object.layout.columns[$0].name
        })
  }

  /// Runs a closure, and adds the conflicts of an error that it throws to the reports.
  func collect(_ reports: inout [ConflictReport], _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as GraphError {
      guard case .conflict(let more) = error.reason else { throw error }
      reports += more
    }
  }

  /// Remembers the state of an object, so that a failed save can restore it.
  func note(_ object: GraphObject) {
    if case .table(let table) = object.home { table.dropIndexes() }
    let identity = ObjectIdentifier(object)
    if undecided[identity] == nil { undecided[identity] = Undecided(object) }
  }

  /// Turns a kept object into an update, if the parent or the store has the object again.
  ///
  /// A kept object was deleted above, and the policy decided to keep it as a new object.
  func reconsider(_ object: GraphObject, in table: AnyTable) throws {
    guard let above = try above(object.key, table.entity), !above.isDeleted else { return }
    note(object)
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

/// The state of an object before a save looks for its conflicts.
///
/// A save that fails restores this state. The context then has the same changes as before, and the
/// next save asks the policy again.
struct Undecided {
  let object: GraphObject
  private let phase: GraphObject.ObjectPhase
  private let value: AnyBox
  private let base: AnyBox?

  init(_ object: GraphObject) {
    self.object = object
    phase = object.phase
    value = object.boxed()
    base = object.base?.copy()
  }

  func restore(in context: ObjectContext) {
    object.exchange(with: value)
    object.base = base
    object.phase = phase
    guard case .table(let table) = object.home else { return }
    context.list(object, in: table)
  }

  /// Notifies lists and the contexts below of the policy's decision about the object.
  func tellDecided(in context: ObjectContext) {
    guard case .table(let table) = object.home, table.isWatched else { return }
    context.didChange(object)
  }
}
