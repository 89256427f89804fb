/// The maker of one plan.
struct Planner: ~Copyable {
  private let kinds: KindTable
  private let limits: LaunchLimits
  private let depthLimit: Int
  /// Whether all records are wanted. Otherwise, only the first record is wanted.
  private let wantsAll: Bool
  private(set) var nodes: [PlanNode] = []
  private(set) var report: RestorationReport
  private var ordinals = Ordinals()
  /// Whether launches have kept one of the present siblings for later.
  private var hasCarry = false

  /// Makes a planner for a record and all records below it. Each record of the plan gets a line in
  /// the report, unless it has one already.
  init(
    _ kinds: KindTable, _ limits: LaunchLimits, depthLimit: Int, wantsAll: Bool,
    _ report: RestorationReport
  ) {
    self.kinds = kinds
    self.limits = limits
    self.depthLimit = depthLimit
    self.wantsAll = wantsAll
    self.report = report
  }

  /// Makes the plan. `count` is the number of records, if that is known.
  ///
  /// - Complexity: O(*n*) for *n* records in the plan.
  mutating func makePlan(from root: Record, isApplication: Bool, count: Int = 0) {
    nodes.reserveCapacity(count)
    report.reserve(count)
    guard addFirst(root, isApplication) else { return }
    var next = 0
    while next < nodes.count {
      addRecords(below: next)
      next += 1
    }
  }

  /// Adds the first record.
  ///
  /// - Returns: false if the record is damaged. A damaged record of the application is replaced by
  ///   an empty record, so that the records below it are still restored.
  private mutating func addFirst(_ root: Record, _ isApplication: Bool) -> Bool {
    do {
      try addNode(root, below: nil)
    } catch {
      guard isApplication else { return false }
      nodes.append(PlanNode(record: root, parent: 0, header: RecordHeader()))
      root.line = report.add("", kind: "", parent: nil)
      report.set(root.line, .damaged, "The application's record is damaged.")
    }
    nodes[0].step = nodes[0].header.role == .object ? .object : .first
    nodes[0].isLeftOut = limits.leftOut.contains(root.place)
    return true
  }

  /// Adds the records below another record.
  private mutating func addRecords(below parent: Int) {
    let start = nodes.count
    ordinals.beginSiblings()
    hasCarry = false
    for record in nodes[parent].record.below where record.state != .gone {
      do {
        try addNode(record, below: parent)
        let index = nodes.count - 1
        nodes[index].step = step(index, below: parent)
        if nodes[index].mayBeKept { report.mayKeep(record.line) }
      } catch {
        record.state = .gone
        let line = report.add("?", kind: "", parent: nodes[parent].record.line)
        report.set(line, .damaged, "The record is damaged.")
      }
    }
    nodes[parent].below = start..<nodes.count
    if hasCarry { placeDisplaced(in: nodes[parent].below) }
  }

  /// Adds a record to the plan, without deciding its step.
  ///
  /// - Throws: ``StateError`` if the record is damaged.
  @inline(__always)
  private mutating func addNode(_ record: Record, below parent: Int?) throws {
    guard let reader = record.reader else { throw StateError(.damaged("it is missing")) }
    let header = try RecordHeader(reader)
    record.id = header.id
    let ordinal = header.isDisplaced ? 0 : nextOrdinal(header)
    if header.carry != nil { hasCarry = true }
    if record.line >= 0 {
      report.replace(record.line, .dropped, nil)
    } else {
      record.line = report.add(
        header.identifier, kind: header.kind, parent: parent.map { nodes[$0].record.line },
        ordinal)
    }
    nodes.append(
      PlanNode(
        record: record, parent: Int32(parent ?? 0), header: header, ordinal: Int32(ordinal),
        depth: parent.map { nodes[$0].depth + 1 } ?? 0, kind: kinds.index(of: header),
        isLeftOut: limits.leftOut.contains(record.place)))
  }

  private func step(_ index: Int, below parent: Int) -> PlanNode.Step {
    switch nodes[parent].step {
    case .end(let outcome, let reason): return .end(outcome, reason)
    case .object: return .end(.dropped, "Removed, because an object has no records below it.")
    // The screen for which the record above waits may be there already.
    case .first, .make, .find, .whenAttached: break
    }
    guard nodes[index].depth <= depthLimit else {
      return .end(.dropped, "Removed, because it is deeper than \(depthLimit).")
    }
    if nodes[index].isLeftOut {
      return .end(.leftOut, "Left out, because launches have ended in it.")
    }
    guard wantsAll else {
      return .end(.carried, "Not restored, because it was not wanted in this launch.")
    }
    let role = nodes[index].header.role
    if role == .object { return .object }
    if role == .application {
      return .end(.dropped, "Removed, because it is a second record of the application.")
    }
    let kind = nodes[index].kind
    guard kind > 0 else { return .find }
    let (own, present) = (nodes[index].header.version, kinds[kind].version)
    guard own <= present else {
      return .end(
        .carried,
        "Not restored, because it has version \(own) of the kind, and this is version \(present).")
    }
    return kinds[kind].time == .whenAttached ? .whenAttached : .make
  }

  /// Decides the steps of displaced records. Such a record gets its place again if no other one has
  /// it, or if the app has asked to try it. Otherwise, it is kept for later.
  private mutating func placeDisplaced(in siblings: Range<Int>) {
    for index in siblings where nodes[index].header.isDisplaced {
      if nextOrdinal(nodes[index].header) == 0 { continue }
      var spare = index
      if limits.retried.contains(nodes[index].record.place), !nodes[index].isLeftOut,
        let other = siblings.last(where: { mayYield(to: index, $0) })
      {
        nodes[index].ordinal = nodes[other].ordinal
        spare = other
      }
      nodes[spare].isSpare = true
      switch nodes[spare].step {
      case .end(.dropped, _), .end(.leftOut, _): continue
      default:
        nodes[spare].step = .end(.carried, "Not restored, because another one has its place.")
      }
    }
  }

  /// Returns the number of earlier siblings with a record's identifier. An added object and a
  /// responder may have the same one.
  private mutating func nextOrdinal(_ header: RecordHeader) -> Int {
    ordinals.next(header.role == .object ? "\0" + header.identifier : header.identifier)
  }

  /// Returns whether a record is in the place of a displaced one.
  private func mayYield(to index: Int, _ other: Int) -> Bool {
    let (displaced, node) = (nodes[index], nodes[other])
    return !node.header.isDisplaced && !node.isSpare
      && node.header.identifier == displaced.header.identifier
      && (node.header.role == .object) == (displaced.header.role == .object)
  }
}

/// The number of siblings so far, for each identifier.
struct Ordinals {
  private var few: [(identifier: String, count: Int)] = []
  private var many: [String: Int] = [:]
  /// The index in `few` of the identifier that probably comes next.
  private var expected = 0

  /// Sets all counts to zero, before the siblings below another record are added. The identifiers
  /// are kept, because the next siblings often have the same.
  mutating func beginSiblings() {
    if many.isEmpty {
      for index in few.indices { few[index].count = 0 }
    } else {
      (few, many) = ([], [:])
    }
    expected = 0
  }

  /// Adds a sibling.
  ///
  /// - Returns: the number of earlier siblings with the identifier.
  mutating func next(_ identifier: String) -> Int {
    guard many.isEmpty else {
      let ordinal = many[identifier, default: 0]
      many[identifier] = ordinal + 1
      return ordinal
    }
    let isExpected = expected < few.count && few[expected].identifier == identifier
    if let index = isExpected ? expected : few.firstIndex(where: { $0.identifier == identifier }) {
      few[index].count += 1
      expected = index + 1
      return few[index].count - 1
    }
    few.append((identifier, 1))
    // A dictionary is made only when there are many identifiers.
    if few.count > 16 {
      many = Dictionary(uniqueKeysWithValues: few.map { ($0.identifier, $0.count) })
    }
    return 0
  }
}
