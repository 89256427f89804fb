extension ObjectContext {
  /// Lets the policy decide of what is contested of an object.
  ///
  /// - Throws: With the policy `.error`, the conflict.
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

  /// Decides of an object that is deleted above.
  private func decideOfDeleted(_ object: GraphObject) throws {
    guard object.phase == .updated else {
      // Both deleted it.
      object.phase = .gone
      return
    }
    switch try decision(of: object, columns: [], theirs: nil) {
    case .theirs: object.phase = .gone
    case .value(let value):
      try object.accept(value)
      fallthrough
    case .mine:
      // New to what is above; the base tells that it was there.
      object.phase = .inserted
    }
    object.endContest()
  }

  /// What the policy says of one conflict; throws for `.error`.
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

  /// Runs a closure, and adds the conflicts that it throws to others.
  func collect(_ reports: inout [ConflictReport], _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as GraphError {
      guard case .conflict(let more) = error.reason else { throw error }
      reports += more
    }
  }

  /// Remembers an object as it is, in case the save fails after all.
  func note(_ object: GraphObject) {
    if case .table(let table) = object.home { table.dropIndexes() }
    let identity = ObjectIdentifier(object)
    if undecided[identity] == nil { undecided[identity] = Undecided(object) }
  }

  /// Makes an update of an object that was kept as a new one, because it had been deleted above,
  /// if it is there again.
  func reconsider(_ object: GraphObject, in table: AnyTable) throws {
    guard let above = try above(object.key, table.entity), !above.isDeleted else { return }
    note(object)
    object.phase = .updated
    object.keepBase(of: above)
  }
}

extension ConflictPolicy {
  /// Whether it decides without code of the app.
  var isFixed: Bool {
    switch self {
    case .mine, .theirs: true
    case .error, .resolve: false
    }
  }
}

/// An object as it was before a save compared it with what is above, in case the save fails.
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

  /// Tells lists and the contexts below what the policy has decided.
  func tellDecided(in context: ObjectContext) {
    guard case .table(let table) = object.home, table.isWatched else { return }
    context.didChange(object)
  }
}
