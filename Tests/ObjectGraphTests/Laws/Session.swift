import ObjectGraph

extension Laws {
  /// A running random program: the library, and all worlds that the laws allow at this point.
  final class Session {
    let subject: Subject
    private(set) var worlds: [World]
    private let fault: Sabotage?
    private var count = 0
    /// For each context, the objects in its lists after the last step.
    private var listed: [[Set<ID>]] = []

    init(_ setting: Setting, _ fault: Sabotage? = nil, on store: any ObjectStore) throws {
      self.fault = fault
      subject = try Subject(setting, on: store)
      worlds = [World(setting)]
      try compare(worlds.map { Possibility(world: $0) }, with: Result(), after: nil)
    }

    /// The world from which the next step is drawn. All worlds show the same values.
    var world: World { worlds[0] }
  }
}

extension Laws.Session {
  typealias World = Laws.World
  typealias Possibility = Laws.Possibility
  typealias Disagreement = Laws.Disagreement

  /// The result of a step in the library.
  struct Result {
    var failure: Laws.Failure?
    var reported: [Laws.ID: [Laws.Property]] = [:]
    var asked: [Laws.Clash] = []
    var hasMore: Bool?
  }

  /// Performs a step in the library and in the worlds, and compares both. Returns false if the step
  /// makes no sense.
  @discardableResult
  func perform(_ step: Laws.Step) throws -> Bool {
    guard let step = world.allowed(step) else { return false }
    count += 1
    var possible = worlds.flatMap { possibilities(of: step, in: $0) }
    let result = try result(of: step)
    let all = possible
    possible = possible.filter { agrees($0, result) }
    guard !possible.isEmpty else {
      throw Disagreement(
        "the result is \(text(result)), by the laws it is "
          + (all.first.map { text($0) } ?? "another"))
    }
    try compare(possible, with: result, after: step)
    return true
  }

  private func possibilities(of step: Laws.Step, in world: World) -> [Possibility] {
    var possible = world.performing(step)
    for index in possible.indices { fault?.spoil(&possible[index].world, after: step, in: world) }
    return possible
  }

  private func result(of step: Laws.Step) throws -> Result {
    var result = Result()
    subject.asked = []
    do {
      for step in fault?.steps(for: step) ?? [step] { result.hasMore = try subject.perform(step) }
    } catch let error as GraphError {
      switch error.reason {
      case .conflict(let reports):
        result.failure = .conflict
        for report in reports {
          let key = report.object.split(separator: "/").last.flatMap { Int64($0) } ?? 0
          result.reported[subject.book.id(key)] = subject.book.properties(report.properties)
        }
      case .dangling: result.failure = .dangling
      case .idTaken: result.failure = .idTaken
      case .denied: result.failure = .denied
      default: throw Disagreement("\(error)")
      }
    } catch is Laws.Refused {
      result.failure = .refused
    }
    result.asked = subject.asked
    if !subject.faults.reasons.isEmpty {
      throw Disagreement("a fault was reported: \(subject.faults.reasons)")
    }
    fault?.follow(step, result, in: subject)
    fault?.spoil(&result)
    return result
  }

  private func agrees(_ possibility: Possibility, _ result: Result) -> Bool {
    let outcome = possibility.outcome
    guard let failure = result.failure else {
      return outcome.failures.isEmpty
        && (outcome.asked.map { isSame($0, result.asked) } ?? true)
        && (possibility.hasMore == nil || possibility.hasMore == result.hasMore)
    }
    guard outcome.failures.contains(failure) else { return false }
    return failure != .conflict || outcome.reported == result.reported
  }

  /// Compares the values that the documentation promises for a conflict: all of `theirs`, and those
  /// of `mine` and `base` for the conflict's properties.
  private func isSame(_ expected: Set<Laws.Clash>, _ asked: [Laws.Clash]) -> Bool {
    guard expected.count == asked.count else { return false }
    return asked.allSatisfy { clash in
      expected.contains { other in
        clash.id == other.id && clash.properties == other.properties
          && clash.theirs == other.theirs && (clash.mine == nil) == (other.mine == nil)
          && clash.properties.allSatisfy {
            clash.base[$0] == other.base[$0] && clash.mine?[$0] == other.mine?[$0]
          }
      }
    }
  }

  private func text(_ result: Result) -> String {
    guard let failure = result.failure else {
      return "success" + (result.hasMore.map { ", more: \($0)" } ?? "")
        + (result.asked.isEmpty ? "" : ", asked: \(text(result.asked))")
    }
    return "\(failure)" + (failure == .conflict ? " \(text(result.reported))" : "")
  }

  private func text(_ possibility: Possibility) -> String {
    let outcome = possibility.outcome
    if outcome.failures.isEmpty {
      return "success" + (possibility.hasMore.map { ", more: \($0)" } ?? "")
        + (outcome.asked.map { $0.isEmpty ? "" : ", asked: \(text(Array($0)))" } ?? "")
    }
    return outcome.failures.map(\.rawValue).sorted().joined(separator: " or ")
      + (outcome.failures.contains(.conflict) ? " \(text(outcome.reported))" : "")
  }

  private func text(_ reported: [Laws.ID: [Laws.Property]]) -> String {
    reported.sorted { $0.key < $1.key }.map { "object\($0.key) \($0.value)" }
      .joined(separator: ", ")
  }

  private func text(_ clashes: [Laws.Clash]) -> String {
    clashes.sorted { $0.id < $1.id }.map {
      "object\($0.id) \($0.properties) base \(Laws.text($0.base)) mine \(Laws.text($0.mine)) "
        + "theirs \(Laws.text($0.theirs))"
    }.joined(separator: "; ")
  }
}

// MARK: - What is shown

extension Laws.Session {
  private func compare(
    _ possible: [Possibility], with result: Result, after step: Laws.Step?
  ) throws {
    let (sights, lists) = try look()
    let listedBefore = listed.isEmpty ? subject.lists.map { $0.map { _ in [] } } : listed
    listed = lists.last?.map { $0.map(Set.init) } ?? []
    let kept = subject.lists.indices.map { index in
      zip(subject.lists[index], zip(listed[index], listedBefore[index])).map { list, rows in
        Laws.KeptRows(request: list.request, ids: rows.0.intersection(rows.1))
      }
    }
    var left: [World] = []
    var seen: Set<World> = []
    var first: String?
    var candidates = possible.map(\.world)
    if let world = candidates.first, !world.holdsAll {
      // An edit may be based on a row that a context kept, or on one that it has read again.
      candidates = [false, true].flatMap { keepsEdited in
        candidates.map { $0.droppingUnheld(sights, listed: kept, worlds[0], keepsEdited) }
      }
    }
    for world in candidates {
      if let difference = difference(of: world, from: sights, lists) {
        first = first ?? difference
      } else if seen.insert(world).inserted {
        left.append(world)
      }
    }
    if left.isEmpty { throw Disagreement(first ?? "no world is possible") }
    worlds = left
    for index in subject.contexts.indices {
      try subject.checkReads(of: index, sights[index], asking: count + index, fault)
    }
    try compareWithStore(sights, result, after: step)
  }

  /// Reads the state of all contexts, and then the rows of their lists. In every second step, the
  /// lists are also read before the contexts.
  private func look() throws -> (sights: [Laws.Sight], lists: [Laws.ListedRows]) {
    let indices = subject.contexts.indices
    var early: Laws.ListedRows = []
    let isListFirst = !count.isMultiple(of: 2)
    // If objects are not kept, a fetch in a parent reads them again and so changes the lists below.
    // Each list is then read after the parents and right before its context.
    if isListFirst, subject.holdsAll { early = try indices.map(subject.listedRows) }
    let sights = try indices.map { index in
      if isListFirst, !subject.holdsAll { early.append(try subject.listedRows(of: index)) }
      return try subject.look(at: index)
    }
    var late = try indices.map(subject.listedRows)
    fault?.spoil(&late, after: listed)
    return (sights, isListFirst ? [early, late] : [late])
  }

  private func difference(
    of world: World, from sights: [Laws.Sight], _ lists: [Laws.ListedRows]
  ) -> String? {
    if let difference = world.difference(from: sights) { return difference }
    let requests = subject.lists.map { $0.map(\.request) }
    for lists in lists {
      if let difference = world.difference(from: lists, of: requests, sights) { return difference }
    }
    return nil
  }

  /// Compares the store's rows with the world after a save to the store or a complete merge.
  private func compareWithStore(
    _ sights: [Laws.Sight], _ result: Result, after step: Laws.Step?
  ) throws {
    switch step {
    case .save(let context)? where subject.contexts[context].parent == nil: break
    case .saveAll?, .merge?, .refresh?: break
    default: return
    }
    var rows = try subject.rowsOfStore()
    fault?.spoil(storedRows: &rows)
    for (id, row) in rows where world.store[id] != row {
      throw Disagreement(
        "the store has \(Laws.text(row)) for object\(id), not \(Laws.text(world.store[id]))")
    }
    for id in world.store.keys where rows[id] == nil {
      throw Disagreement("the store has no object\(id)")
    }
    switch step {
    case .merge(let root)?, .refresh(let root)?:
      guard !sights[root].hasUnsavedChanges, sights[root].rows != rows else { return }
      throw Disagreement("after the merge \(Laws.contextNames[root]) is not as a fresh context")
    default: break
    }
  }
}
