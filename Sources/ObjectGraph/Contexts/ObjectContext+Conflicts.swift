extension ObjectContext {
  /// What the policy says of one conflict; throws for `.error`.
  func decision(
    of object: Instance, columns: [Int], theirs: (any Entity)?
  ) throws -> ConflictPolicy.Decision {
    if undecided[ObjectIdentifier(object)] == nil {
      undecided[ObjectIdentifier(object)] = Undecided(object)
    }
    switch conflictPolicy {
    case .mine: return .mine
    case .theirs: return .theirs
    case .error:
      throw GraphError("save \(object.reference)", .conflict([report(object, columns)]))
    case .resolve(let decide):
      return try decide(
        Conflict(
          object: object, properties: columns.map { object.layout.columns[$0].name },
          base: object.anyBase ?? object.anyValue, mine: object.anyValue, theirs: theirs))
    }
  }

  func report(_ object: Instance, _ columns: [Int]) -> ConflictReport {
    ConflictReport(
      object: object.reference, properties: columns.map { object.layout.columns[$0].name })
  }

  /// Brings an object's value and base to where only what is mine differs from theirs.
  ///
  /// `theirs` is an object of the same entity that holds the other's value.
  func merge(_ object: Instance, with theirs: Instance) throws {
    let layout = object.layout
    let compared = object.withValue { mine in
      object.withBase { base in
        theirs.withValue { ThreeWay(layout, base: base, mine: mine, theirs: $0) }
      }
    }
    var takes = compared.theirs
    if !compared.both.isEmpty {
      switch try decision(of: object, columns: compared.both, theirs: theirs.anyValue) {
      case .mine: break
      case .theirs: takes += compared.both
      case .value(let value):
        try object.accept(value)
        takes = []
      }
    }
    object.withMemory { mine in
      theirs.withValue { theirs in
        for column in takes { layout.columns[column].assign(from: theirs, to: mine) }
      }
    }
    object.keepBase(of: theirs)
    didChange(object)
  }

  /// Makes an update of an object that was kept as a new one, because it had been deleted above,
  /// if it is there again.
  func reconsider(_ object: Instance, in table: AnyTable) throws {
    guard let above = try above(object.key, table.entity), !above.isDeleted else { return }
    object.phase = .updated
    object.keepBase(of: above)
  }

  /// Lets the policy decide of an object that was deleted here and changed to `theirs` meanwhile.
  func settleDeletion(of object: Instance, with theirs: Instance) throws {
    switch try decision(of: object, columns: [], theirs: theirs.anyValue) {
    case .mine:
      object.keepBase(of: theirs)
    case .theirs:
      object.phase = .clean
      object.forgetBase()
      object.copyValue(of: theirs)
    case .value(let value):
      try object.accept(value)
      object.phase = .updated
      object.keepBase(of: theirs)
    }
    didChange(object)
  }
}

extension Instance {
  /// Takes the value that a policy decided on.
  func accept(_ value: any Entity) throws {
    let attempted = "resolve the conflict of \(reference)"
    guard take(value) else {
      throw GraphError(attempted, .store(code: 0, "a \(type(of: value)) is no \(layout.name)"))
    }
    let problems = problems
    guard problems.isEmpty else {
      throw GraphError(attempted, .invalid([InvalidObject(object: reference, problems: problems)]))
    }
  }

  /// Whether the other has the value that this one was changed from.
  func isBased(on other: Instance) -> Bool {
    let layout = layout
    return withBase { base in other.withValue { layout.difference(base, $0).isEmpty } }
  }
}

/// An object as it was before a policy decided what becomes of it, in case the save fails after all.
struct Undecided {
  private let object: Instance
  private let phase: Instance.Phase
  private let value: AnyBox
  private let base: AnyBox?
  private let isOutdated: Bool

  init(_ object: Instance) {
    self.object = object
    phase = object.phase
    value = object.boxed()
    isOutdated = object.isOutdated
    // A base is never changed, only replaced.
    base = object.exchangeBase(with: nil)
    _ = object.exchangeBase(with: base)
  }

  func restore(in context: ObjectContext) {
    object.exchange(with: value)
    _ = object.exchangeBase(with: base)
    object.phase = phase
    object.isOutdated = isOutdated
    guard case .table(let table) = object.home else { return }
    context.list(object, in: table)
    if table.isWatched { context.didChange(object) }
  }
}
