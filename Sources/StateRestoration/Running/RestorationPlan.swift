import ResponderChain

/// The steps that a restoration will take, one for each record, parents first. A plan is made
/// before any code of the app runs, except the closure that is asked for the extent.
public struct RestorationPlan: Sendable {
  /// The step for one record.
  public enum Step: Sendable, Equatable {
    /// The application's own record is decoded.
    case application
    /// The kind's factory is called. If a responder is there already, the factory gets it.
    case make(kind: String)
    /// ``Restoration/makeResponder`` is called. If it returns no responder, one that is there
    /// already is used.
    case find
    /// An added object is decoded.
    case object
    /// The record waits until a responder with its identifier is attached, and the records below it
    /// wait with it. If the responder is there already, they are restored in the launch.
    case whenAttached
    /// The record is kept for a later launch.
    case carry(String)
    /// The record is removed.
    case drop(String)
  }

  /// One record.
  struct Node {
    let id: UInt32
    /// The index of the record above; nil for the first.
    let parent: Int?
    var header: RecordHeader
    /// The number of earlier siblings with the same identifier.
    var ordinal: Int
    let depth: Int
    var step: Step
    /// The index of the kind plus one; zero if there is none.
    var kind: UInt16
    /// The index in the report.
    let reportIndex: Int
    /// Whether the record was displaced and another sibling record has its identifier. Then it is
    /// not restored in this launch.
    var isSpare = false
    /// Whether this record, or one above it, waits until a responder is attached.
    var isWaiting = false
    /// The indices of the records below.
    var below = 0..<0
  }

  var nodes: [Node] = []
  /// Whether records wait until a responder is attached.
  fileprivate(set) var hasWaiting = false

  /// Returns the identifiers from below the application to a record's owner.
  func path(_ index: Int) -> [String] {
    var path: [String] = []
    var next = index
    while let parent = nodes[next].parent {
      path.append(nodes[next].header.identifier)
      next = parent
    }
    return path.reversed()
  }
}

extension RestorationPlan: CustomStringConvertible {
  /// One line for each record.
  public var description: String {
    nodes.indices.map { index in
      let node = nodes[index]
      let path = path(index)
      var line = path.isEmpty ? "application" : path.joined(separator: " › ")
      if node.ordinal > 0 { line += " (\(node.ordinal + 1))" }
      line += ": \(node.step)"
      for slot in node.header.slots { line += ", \(slot.text)" }
      if !node.header.needs.isEmpty {
        line += ", needs " + node.header.needs.joined(separator: ", ")
      }
      return line
    }
    .joined(separator: "\n")
  }
}

extension RestorationPlan.Step: CustomStringConvertible {
  /// The step in a few words.
  public var description: String {
    switch self {
    case .application: "decode"
    case .make(let kind): "make or use a \(kind)"
    case .find: "find"
    case .object: "decode the added object"
    case .whenAttached: "wait until it is attached"
    case .carry(let reason): "carry over: \(reason)"
    case .drop(let reason): "remove: \(reason)"
    }
  }
}

extension RestorationPlan {
  /// Returns a sentence for each responder of the archived tree that a launch has not restored.
  ///
  /// Three sorts of records are left out: those that wait until their screen is opened, those of
  /// added objects, and those that the archived tree had carried already. If a record was not
  /// restored, those below it get no sentence.
  func unrestored(in report: RestorationReport) -> [String] {
    let records = report.records
    var isLeft = [Bool](repeating: false, count: nodes.count)
    var sentences: [String] = []
    for (index, node) in nodes.enumerated() {
      let record = records[node.reportIndex]
      if record.outcome == .restored || record.outcome == .waiting { continue }
      isLeft[index] = true
      if let parent = node.parent, isLeft[parent] { continue }
      if node.step == .whenAttached || node.step == .object { continue }
      if node.header.carriedLaunches > 0 { continue }
      let path = record.path.isEmpty ? "The application" : record.path.joined(separator: " › ")
      sentences.append("\(path) was not restored: \(record.reason ?? "There is no reason.")")
    }
    return sentences
  }
}

extension Engine {
  /// Returns a plan for a record and for the records below it. The owner of the first one is known
  /// already.
  ///
  /// If the record has a line in the report already, the line's index is given. The records below
  /// then have lines, too.
  ///
  /// - Complexity: O(*n*) for *n* records in the plan.
  func plan(
    from root: UInt32, extent: Restoration.Extent, line: Int? = nil
  ) -> RestorationPlan {
    let log = log
    var plan = RestorationPlan()
    var visited = VisitedRecords(from: root, count: log.records.count)
    let noLines = RestorationReport.LineCursor()
    var lines = line.map { RestorationReport.LineCursor(at: $0) } ?? noLines
    var ordinals: [String: Int] = [:]
    var first = node(root, parent: nil, in: plan, &visited, &ordinals, &lines)
    if first == nil, root == 0 {
      // The application exists without its record, and the records below it are restored.
      let line = report.add("", kind: "", parent: nil)
      report.set(line, .damaged, "The application's record is damaged.")
      first = RestorationPlan.Node(
        id: 0, parent: nil, header: RecordHeader(), ordinal: 0, depth: 0, step: .application,
        kind: 0, reportIndex: line)
    }
    guard var first else { return plan }
    if first.header.role == .object { first.step = .object }
    plan.nodes.append(first)
    var next = 0
    while next < plan.nodes.count {
      defer { next += 1 }
      var ids: [UInt32] = []
      do {
        ids = try log.childIDs(of: plan.nodes[next].id)
      } catch {
        report.add(problem: "The list of the records below a record is damaged: \(error)")
      }
      let start = plan.nodes.count
      guard !ids.isEmpty else {
        plan.nodes[next].below = start..<start
        continue
      }
      var ordinals: [String: Int] = [:]
      ordinals.reserveCapacity(min(ids.count, 64))
      var lines = line == nil ? noLines : report.lines(below: plan.nodes[next].reportIndex)
      for id in ids {
        guard var node = node(id, parent: next, in: plan, &visited, &ordinals, &lines) else {
          continue
        }
        plan.decide(&node, next, extent, self)
        plan.nodes.append(node)
      }
      plan.nodes[next].below = start..<plan.nodes.count
      plan.placeDisplaced(in: start..<plan.nodes.count, &ordinals)
    }
    return plan
  }

  private func node(
    _ id: UInt32, parent: Int?, in plan: RestorationPlan, _ visited: inout VisitedRecords,
    _ ordinals: inout [String: Int], _ lines: inout RestorationReport.LineCursor
  ) -> RestorationPlan.Node? {
    let reportParent = parent.map { plan.nodes[$0].reportIndex }
    let depth = parent.map { plan.nodes[$0].depth + 1 } ?? 0
    guard let record = log.reader(of: id), let header = try? RecordHeader(record), header.id == id,
      visited.insert(id)
    else {
      guard parent != nil else { return nil }
      let index = report.add("?", kind: "", parent: reportParent, &lines)
      report.set(index, .damaged, "The record is damaged or missing.")
      return nil
    }
    var ordinal = 0
    if !header.isDisplaced {
      ordinal = ordinals[header.identifier, default: 0]
      if ordinal == 0 {
        ordinals[header.identifier] = 1
      } else {
        ordinals[header.identifier]? += 1
      }
    }
    return RestorationPlan.Node(
      id: id, parent: parent, header: header, ordinal: ordinal, depth: depth,
      step: .application,
      kind: kinds.index(of: header),
      reportIndex: report.add(header.identifier, kind: header.kind, parent: reportParent, &lines))
  }
}

/// The records that a plan has already. They are noted because a forged archive may list one twice.
private struct VisitedRecords {
  /// Whether the plan has each record of the archive. Empty if the plan begins below the
  /// application.
  private var flags: [Bool] = []
  private var ids: Set<UInt32> = []

  init(from root: UInt32, count: Int) {
    if root == 0 { flags = [Bool](repeating: false, count: count) }
  }

  /// Adds a record.
  ///
  /// - Returns: false if it was added before.
  mutating func insert(_ id: UInt32) -> Bool {
    if flags.isEmpty { return ids.insert(id).inserted }
    defer { flags[Int(id)] = true }
    return !flags[Int(id)]
  }
}

extension RestorationPlan {
  /// Decides what to do with a record below another.
  fileprivate mutating func decide(
    _ node: inout Node, _ parent: Int, _ extent: Restoration.Extent, _ engine: Engine
  ) {
    switch nodes[parent].step {
    case .carry: return node.step = .carry("the record above is kept for later")
    case .drop: return node.step = .drop("the record above was removed")
    case .object: return node.step = .drop("an object has no records below it")
    // The screen that a record waits for may be there already.
    case .application, .make, .find, .whenAttached: break
    }
    node.isWaiting = nodes[parent].isWaiting
    guard node.depth <= engine.limits.depth else {
      return node.step = .drop("it is deeper than \(engine.limits.depth)")
    }
    switch extent {
    case .minimum, .nothing: return node.step = .carry("it was not wanted in this launch")
    case .all: break
    }
    if node.header.role == .object { return node.step = .object }
    if node.header.role == .application {
      return node.step = .drop("it is a second record of the application")
    }
    guard let kind = engine.kinds[node.kind] else { return node.step = .find }
    if node.header.version > kind.version {
      return node.step = .carry(
        "it has version \(node.header.version) of the kind, and this is version \(kind.version)")
    }
    node.step = kind.moment == .whenAttached ? .whenAttached : .make(kind: kind.name)
    if node.step == .whenAttached { (node.isWaiting, hasWaiting) = (true, true) }
  }

  /// Decides about the records that were displaced by another owner. If another record has the
  /// place, the displaced one is kept for a later launch. Otherwise, it gets the place again.
  fileprivate mutating func placeDisplaced(
    in siblings: Range<Int>, _ ordinals: inout [String: Int]
  ) {
    for index in siblings where nodes[index].header.isDisplaced {
      if ordinals.updateValue(1, forKey: nodes[index].header.identifier) == nil { continue }
      nodes[index].isSpare = true
      if case .drop = nodes[index].step { continue }
      nodes[index].step = .carry("another one has its place")
    }
  }
}
