import LineageFiles
import ResponderChain

extension Session {
  /// Replaces the paths in a record's values by the present paths of their targets, before a save
  /// copies the values. A path whose target is in neither the tree nor the archive gets an ordinal
  /// that no responder has.
  func refreshPaths(in record: Record) {
    guard let targets = record.targets else { return }
    var present: PathTargets = [:]
    record.replacePaths { old in
      let target = targets[Array(old)]
      let new = target.flatMap(path) ?? .missing(old, number: present.count)
      present[new] = target
      return new
    }
    record.targets = present.isEmpty ? nil : present
  }

  /// Returns the path of a target in the archive that is being written; nil if it has none.
  private func path(of target: PathTarget) -> [UInt8]? {
    if let responder = target.responder {
      guard responder.application === application else { return nil }
      return (try? responder.archivedSteps()).map { [UInt8](steps: $0) }
    }
    var steps: [PathStep] = []
    var next = target
    while next.responder == nil {
      guard let record = next.record as? Record, record.state == .carried, let above = next.parent,
        let parent = above.responder ?? above.record,
        let ordinal = ordinals(below: parent)[ObjectIdentifier(record)],
        let header = record.header
      else { return nil }
      steps.append(PathStep(identifier: header.identifier, ordinal: ordinal))
      next = above
    }
    guard let responder = next.responder, responder.application === application,
      let above = try? responder.archivedSteps()
    else { return nil }
    return [UInt8](steps: above + steps.reversed())
  }

  /// Returns the ordinals of the responders and records directly below a responder or carried
  /// record. A launch counts them in the same way.
  func ordinals(below parent: AnyObject) -> [ObjectIdentifier: Int] {
    contexts.pathSteps += 1
    if let known = contexts.siblings?[ObjectIdentifier(parent)] { return known }
    var counts = Ordinals()
    var found: [ObjectIdentifier: Int] = [:]
    func count(_ records: [Record]?) {
      for record in records ?? [] where record.carry?.isDisplaced != true {
        guard let header = record.header else { continue }
        found[ObjectIdentifier(record)] = counts.next(header.identifier)
      }
    }
    if let record = parent as? Record {
      count(record.below.filter { $0.state != .gone })
    } else if let parent = parent as? Responder {
      var live: [(owner: AnyObject, mark: Mark)] = []
      parent.forEachOwned { child, _ in
        if let mark = child.mark { live.append((child, mark)) }
      }
      live += objects.below(parent).map { ($0, $0.mark) }
      let carried = parent.mark?.record?.carried(among: live.compactMap(\.mark.record))
      count(carried?[nil])
      for (owner, mark) in live {
        found[ObjectIdentifier(owner)] = counts.next(mark.identifier)
        if let record = mark.record { count(carried?[ObjectIdentifier(record)]) }
      }
    }
    contexts.pathSteps += found.count
    contexts.siblings?[ObjectIdentifier(parent)] = found
    return found
  }
}

extension LaunchPlan {
  /// Finds the records to which the archived paths lead, before anything has changed the tree.
  func findTargets() {
    // The records below some records, stored under the steps that lead to them.
    var below: [Int: [PathStep: Int]] = [:]
    for index in nodes.indices where nodes[index].header.hasPaths {
      var targets: PathTargets = [:]
      nodes[index].record.replacePaths { path in
        if let index = find(path, &below) { targets[Array(path)] = target(index) }
        return nil
      }
      nodes[index].record.targets = targets
    }
  }

  private func find(_ path: ArraySlice<UInt8>, _ below: inout [Int: [PathStep: Int]]) -> Int? {
    var index = 0
    for step in path.steps ?? [PathStep(identifier: "", ordinal: -1)] {
      if below[index] == nil {
        below[index] = Dictionary(
          nodes[index].below.lazy.filter { !nodes[$0].isSpare }.map {
            (PathStep(identifier: nodes[$0].header.identifier, ordinal: nodes[$0].ordinal), $0)
          }
        ) { first, _ in first }
      }
      guard let next = below[index]?[step] else { return nil }
      index = next
    }
    return index
  }

  /// Returns the target of the paths that lead to a record.
  private func target(_ index: Int) -> PathTarget {
    var way: [Int] = []
    var next: Int? = index
    while let one = next, nodes[one].record.target == nil {
      way.append(one)
      next = nodes[one].parent
    }
    var target = next.flatMap { nodes[$0].record.target }
    for one in way.reversed() {
      let made = PathTarget(nodes[one].record, below: target)
      nodes[one].record.target = made
      target = made
    }
    return target ?? PathTarget(nodes[index].record, below: nil)
  }
}
