extension ObjectContext {
  /// What the policy says of one conflict; throws for `.error`.
  func decision(
    of object: Instance, columns: [Int], theirs: (any Entity)?
  ) throws -> ConflictPolicy.Decision {
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
  func settle(_ object: Instance, with theirs: Instance) throws {
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
        guard object.take(value) else {
          throw GraphError(
            "resolve the conflict of \(object.reference)",
            .store(code: 0, "a \(type(of: value)) is no \(layout.name)"))
        }
        takes = []
      }
    }
    object.withMemory { mine in
      theirs.withValue { theirs in
        for column in takes { layout.columns[column].assign(from: theirs, to: mine) }
      }
    }
    object.keepBase(of: theirs)
    if case .table(let table) = object.home, table.isWatched { didChange(object) }
  }
}
