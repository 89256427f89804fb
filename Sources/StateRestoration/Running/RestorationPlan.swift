import ResponderChain

/// The intentions of a restoration for each record, parents first. They are made before any code of
/// the app runs, except the closure that is asked for the extent.
public struct RestorationPlan: Sendable {
  /// The intention for one record.
  public enum Step: Sendable, Equatable {
    /// The application's own record is decoded.
    case application
    /// The kind's factory is called with the responder that is there.
    case make(kind: String)
    /// The application is asked for a responder, then one that is there is used.
    case find
    /// An added object is decoded.
    case object
    /// The record waits until a responder with its identifier is attached.
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
    let header: RecordHeader
    /// The number of earlier siblings with the same identifier.
    let ordinal: Int
    let depth: Int
    var step: Step
    /// The index of the kind plus one; zero if there is none.
    var kind: UInt16
    /// The index in the report.
    let reportIndex: Int
    /// The indices of the records below.
    var below = 0..<0
  }

  var nodes: [Node] = []

  /// Returns the identifiers from below the application.
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
      for slot in node.header.slots { line += ", \(slot.name) \(slot.code)" }
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

extension Engine {
  /// Returns a plan for a record, whose owner is known, and for the records below it.
  func plan(from root: UInt32, extent: Restoration.Extent) -> RestorationPlan {
    var plan = RestorationPlan()
    var isVisited = [Bool](repeating: false, count: log.records.count)
    guard let first = node(root, parent: nil, in: plan, &isVisited) else { return plan }
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
      var ordinals: [String: Int] = [:]
      ordinals.reserveCapacity(min(ids.count, 64))
      for id in ids {
        guard var node = node(id, parent: next, in: plan, &isVisited, &ordinals) else { continue }
        plan.decide(&node, next, extent, self)
        plan.nodes.append(node)
      }
      plan.nodes[next].below = start..<plan.nodes.count
    }
    return plan
  }

  private func node(
    _ id: UInt32, parent: Int?, in plan: RestorationPlan, _ isVisited: inout [Bool]
  ) -> RestorationPlan.Node? {
    var ordinals: [String: Int] = [:]
    return node(id, parent: parent, in: plan, &isVisited, &ordinals)
  }

  private func node(
    _ id: UInt32, parent: Int?, in plan: RestorationPlan, _ isVisited: inout [Bool],
    _ ordinals: inout [String: Int]
  ) -> RestorationPlan.Node? {
    let reportParent = parent.map { plan.nodes[$0].reportIndex }
    let depth = parent.map { plan.nodes[$0].depth + 1 } ?? 0
    guard isVisited.indices.contains(Int(id)), !isVisited[Int(id)],
      let record = log.reader(of: id), let header = try? RecordHeader(record), header.id == id
    else {
      let index = report.add("?", kind: "", parent: reportParent)
      report.set(index, .damaged, "The record is damaged or missing.")
      return nil
    }
    isVisited[Int(id)] = true
    let ordinal = ordinals[header.identifier, default: 0]
    ordinals[header.identifier] = ordinal + 1
    return RestorationPlan.Node(
      id: id, parent: parent, header: header, ordinal: ordinal, depth: depth,
      step: .application,
      kind: kinds.index(named: header.kind.isEmpty ? header.identifier : header.kind) ?? 0,
      reportIndex: report.add(header.identifier, kind: header.kind, parent: reportParent))
  }
}

extension RestorationPlan {
  /// Decides what to do with a record below another.
  fileprivate func decide(
    _ node: inout Node, _ parent: Int, _ extent: Restoration.Extent, _ engine: Engine
  ) {
    switch nodes[parent].step {
    case .carry: return node.step = .carry("the record above is kept for later")
    case .drop: return node.step = .drop("the record above was removed")
    case .whenAttached: return node.step = .carry("the screen above was not opened")
    case .object: return node.step = .drop("an object has no records below it")
    case .application, .make, .find: break
    }
    guard node.depth <= engine.limits.depth else {
      return node.step = .drop("it is deeper than \(engine.limits.depth)")
    }
    switch extent {
    case .minimum, .nothing: return node.step = .carry("it was not wanted in this launch")
    case .all: break
    }
    if node.header.role == .object { return node.step = .object }
    if node.header.role == .application { return node.step = .drop("it is no responder's") }
    guard let kind = engine.kinds[node.kind] else { return node.step = .find }
    if node.header.version > kind.version {
      return node.step = .carry(
        "it has version \(node.header.version) of the kind, and this is version \(kind.version)")
    }
    node.step = kind.moment == .whenAttached ? .whenAttached : .make(kind: kind.name)
  }
}
