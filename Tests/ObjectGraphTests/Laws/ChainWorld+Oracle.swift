import LineageTestSupport
import ObjectGraph

extension ChainWorld {
  /// Saves each context from this one up to the root.
  func series(_ context: ObjectContext) throws {
    var chain: [ObjectContext] = [context]
    while let parent = chain.last?.parent { chain.append(parent) }
    guard setting.isMixed, let root = chain.last else {
      for context in chain { try context.save() }
      return
    }
    var deciders: [(policy: ConflictPolicy, changes: [Int64: Changes])] = []
    for context in chain.reversed() {
      let slot = contexts.firstIndex { $0 === context }
      var changes: [Int64: Changes] = [:]
      for id in ids {
        let object = slot.flatMap { held[$0][id.key] } ?? Self.find(id, in: context)
        if let object { changes[id.key] = object.changes }
      }
      deciders.append((context.conflictPolicy, changes))
    }
    let policy = root.conflictPolicy
    defer { root.conflictPolicy = policy }
    var refused = false
    for context in chain.dropLast() { try context.save() }
    root.conflictPolicy = .resolve { conflict in
      let decision = Self.decide(conflict, deciders, &refused)
      if refused { throw Refused() }
      return decision
    }
    do { try root.save() } catch is Refused { throw GraphError("save", .conflict([])) }
  }

  static func decide(
    _ conflict: Conflict,
    _ deciders: [(policy: ConflictPolicy, changes: [Int64: Changes])], _ refused: inout Bool
  ) -> ConflictPolicy.Decision {
    func decision(_ edits: (Changes) -> Bool) -> ConflictPolicy? {
      deciders.first { $0.changes[conflict.object.key].map(edits) == true }?.policy
    }
    func isMine(_ policy: ConflictPolicy?) -> Bool {
      switch policy {
      case .mine?: return true
      case .theirs?: return false
      default:
        refused = true
        return true
      }
    }
    guard let theirs = conflict.theirs else {
      return isMine(decision { $0.kind == .updated }) ? .mine : .theirs
    }
    if conflict.properties.isEmpty {
      return isMine(decision { $0.kind == .deleted }) ? .mine : .theirs
    }
    func resolve<Value: Entity>(_ mine: Value) -> ConflictPolicy.Decision {
      guard var value = theirs as? Value else { return .mine }
      for property in conflict.properties
      where isMine(decision { $0.properties.contains(property) }) {
        copy(property, mine, &value)
      }
      return .value(value)
    }
    return resolve(conflict.mine)
  }

  static func copy<Value: Entity>(_ property: String, _ mine: Value, _ to: inout Value) {
    func set<Other: Entity, Member>(_ path: WritableKeyPath<Other, Member>) {
      guard let source = mine as? Other, var target = to as? Other else { return }
      target[keyPath: path] = source[keyPath: path]
      if let value = target as? Value { to = value }
    }
    switch (property, Value.self) {
    case ("question", _): set(\Card.question)
    case ("answer", _): set(\Card.answer)
    case ("rightCount", _): set(\Card.rightCount)
    case ("deck", _): set(\Card.deck)
    case ("next", _): set(\Card.next)
    case ("shelf", _): set(\Deck.shelf)
    case ("favourite", _): set(\Learner.favourite)
    default:
      set(\Deck.name)
      set(\Shelf.name)
    }
  }
}
