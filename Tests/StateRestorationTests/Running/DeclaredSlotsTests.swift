import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Random trees whose code declares other slots than their archives have", .hangGuard)
struct DeclaredSlotsTests {
  /// A slot for the notebook, in code or in an archive.
  enum Slot: CaseIterable {
    case none, follow, keep, block, value, handed

    /// Sets this slot at a responder, which must be in a tree already.
    func apply(to responder: Responder) {
      switch self {
      case .none: break
      case .follow: responder.branch(Notebook.self, .follow)
      case .keep: responder.branch(Notebook.self, .keep)
      case .block: responder.block(Notebook.self)
      case .value: responder.provide(Notebook("own"))
      case .handed:
        let inherited = responder.resolve(Notebook.self, from: .next).value
        responder.provide(inherited?.makeChild() ?? Notebook("own"))
      }
    }

    var kinds: [SlotSummary.SlotKind] {
      switch self {
      case .none: []
      case .follow: [.branch(.follow)]
      case .keep: [.branch(.keep)]
      case .block: [.block]
      case .value, .handed: [.value]
      }
    }
  }

  /// One responder of a random tree. `parent` is the index of its parent, which is lower than its
  /// own index. Below the application, `parent` is nil.
  private struct Node {
    let parent: Int?
    var archived = Slot.none
    var declared = Slot.none

    /// The slot after the restoration. It comes from the archive only if code has declared none.
    var merged: Slot {
      guard declared == .none else { return declared }
      switch archived {
      case .handed: return .keep
      case .value: return .none
      default: return archived
      }
    }

    /// Whether the report must say that the declared slot differs from the archived one.
    var differs: Bool {
      ![Slot.none, .value].contains(archived) && declared != .none && declared != archived
    }
  }

  /// A random tree, with the slots of an archive and the slots that code declares.
  private struct Shape {
    var nodes: [Node] = []
    /// Whether code has attached all responders before the launch. Otherwise, kinds make them.
    let isPresent: Bool
    let parentage: Restoration.Parentage
    /// Whether the root context is provided after the launch. Otherwise it is provided before.
    let isLate: Bool

    init(_ random: inout SplitMix64) {
      isPresent = random.below(2) == 0
      parentage = random.below(3) == 0 ? .nearest : .strict
      isLate = random.below(3) == 0
      for number in 0..<2 + random.below(9) {
        let parent = number == 0 || random.below(4) == 0 ? nil : random.below(number)
        var node = Node(parent: parent)
        if random.below(3) > 0 { node.archived = random.pick(Slot.allCases) }
        // Declared and archived slots seldom differ. So there are also equal ones below those that
        // differ.
        if random.below(4) == 0 {
          node.declared = random.pick([.follow, .keep, .block, .value])
        } else if random.below(2) == 0, ![.handed, .value].contains(node.archived) {
          node.declared = node.archived
        }
        nodes.append(node)
      }
    }

    /// Returns whether the restoration removes a record. It does so in strict parentage, if the
    /// slots of the record or of a record above it differ.
    func isDropped(_ index: Int) -> Bool {
      guard parentage == .strict else { return false }
      return nodes[index].differs || nodes[index].parent.map { isDropped($0) } == true
    }

    /// Builds the tree below an application. The closure `include` selects the responders, and
    /// `slot` returns the slot of each.
    func build(
      below app: Application, _ include: (Int) -> Bool = { _ in true }, _ slot: (Int) -> Slot
    ) throws -> [Int: Scripted] {
      var made: [Int: Scripted] = [:]
      for (index, node) in nodes.enumerated() where include(index) {
        let responder = Scripted("n\(index)")
        responder.text = "new"
        try (node.parent.flatMap { made[$0] } ?? app).append(responder)
        slot(index).apply(to: responder)
        made[index] = responder
      }
      return made
    }
  }

  private static func restoration(_ shape: Shape, hasKinds: Bool) -> Restoration {
    let restoration = Restoration {
      for (index, node) in shape.nodes.enumerated() where hasKinds {
        Kind("n\(index)") { request in
          if let existing = request.existing { return existing }
          let made = Scripted()
          node.declared.apply(to: made)
          return made
        }
      }
      ContextName("notes", BranchingRegistration<Notebook>(identify: \.name))
    }
    restoration.parentage = shape.parentage
    return restoration
  }

  /// Returns the name of the topmost ancestor of the notebook that a responder finds, and the
  /// number of that notebook's ancestors. Returns "none" if the responder finds no notebook.
  private static func parentage(_ responder: Responder) -> String {
    guard let notebook = responder.context(Notebook.self) else { return "none" }
    let depth = sequence(first: notebook, next: \.parent).reduce(-1) { depth, _ in depth + 1 }
    return "\(notebook.root.name) \(depth)"
  }

  /// Launches with the archive of a shape. Returns a description of the first fault; nil if there
  /// is none.
  private static func complaint(_ shape: Shape) throws -> String? {
    let first = Application()
    first.provide(Notebook("root"))
    var shape = shape
    let saved = try shape.build(below: first) { shape.nodes[$0].archived }
    for (index, responder) in saved {
      responder.text = "archived"
      // Below a block, nothing can be handed down.
      let inherited = responder.resolve(Notebook.self, from: .next).value
      if shape.nodes[index].archived == .handed, inherited == nil {
        shape.nodes[index].archived = .value
      }
    }
    let archive = restoration(shape, hasKinds: false).archive(of: first)

    let app = Application()
    if !shape.isLate { app.provide(Notebook("root")) }
    var made: [Int: Scripted] = [:]
    if shape.isPresent { made = try shape.build(below: app) { shape.nodes[$0].declared } }
    let restoration = restoration(shape, hasKinds: !shape.isPresent)
    app.launch(restoring: restoration, from: archive)
    if shape.isLate { app.provide(Notebook("root")) }
    if !shape.isPresent {
      for case let responder as Scripted in app.descendants {
        made[Int(responder.restorationIdentifier?.dropFirst() ?? "") ?? -1] = responder
      }
    }

    // The tree as code would have made it alone.
    let expected = Application()
    expected.provide(Notebook("root"))
    let exists = { (index: Int) in shape.isPresent || !shape.isDropped(index) }
    let model = try shape.build(below: expected, exists) { index in
      shape.isDropped(index) ? shape.nodes[index].declared : shape.nodes[index].merged
    }
    guard made.keys.sorted() == model.keys.sorted() else {
      return "there are \(made.keys.sorted()) instead of \(model.keys.sorted())"
    }
    for (index, node) in shape.nodes.enumerated() {
      let record = restoration.report.records.first { $0.path.last == "n\(index)" }
      let isDropped = shape.isDropped(index)
      let isLined = node.differs && (record?.reason ?? "").contains("code has declared")
      let isAbove = shape.parentage == .strict && node.parent.map { shape.isDropped($0) } == true
      guard record?.outcome == (isDropped ? .dropped : .restored) else {
        return "n\(index) is \(record?.outcome.rawValue ?? "missing"): \(record?.reason ?? "")"
      }
      guard isAbove || isLined == node.differs, node.differs || record?.reason == nil else {
        return "n\(index) has the reason \(record?.reason ?? "none")"
      }
      guard let responder = made[index], let other = model[index] else { continue }
      let kinds = responder.slotSummaries.map(\.kind)
      guard kinds == other.slotSummaries.map(\.kind) else { return "n\(index) has \(kinds)" }
      guard responder.text == (isDropped ? "new" : "archived"),
        [responder.decoded, responder.finished] == (isDropped ? [0, 0] : [1, 1])
      else { return "n\(index) is \(responder.text), decoded \(responder.decoded) times" }
      guard parentage(responder) == parentage(other) else {
        return "n\(index) finds \(parentage(responder)) instead of \(parentage(other))"
      }
      if case .branch? = kinds.first, let found = responder.context(Notebook.self) {
        let above = responder.resolve(Notebook.self, from: .next).value
        guard found.parent === above else { return "n\(index) has a child of another context" }
      }
    }
    guard app.invariantsHold else { return "the tree's invariants do not hold" }
    let next = Application()
    let last = Self.restoration(shape, hasKinds: true)
    next.launch(restoring: last, from: restoration.archive(of: app))
    guard last.report.records.count == made.count + 1 else {
      return "the next archive has \(last.report.records.count - 1) records"
    }
    return nil
  }

  @Test("Code wins, strict removes what differs with all below it, and nothing else")
  func programs() throws {
    for seed in SplitMix64.seeds(rounds(300)) {
      var random = SplitMix64(seed: seed)
      let shape = Shape(&random)
      if let complaint = try Self.complaint(shape) {
        Issue.record("LINEAGE_SEED=\(seed): \(complaint)\n\(shape)")
        return
      }
    }
  }

  @Test("A branch of a branch that differs takes the branches below it with it")
  func branchOfBranch() throws {
    var random = SplitMix64(seed: 1)
    for parentage in [Restoration.Parentage.nearest, .strict] {
      var shape = Shape(&random)
      while shape.parentage != parentage || !shape.isPresent || shape.isLate {
        shape = Shape(&random)
      }
      shape.nodes = [
        Node(parent: nil, archived: .follow, declared: .follow),
        Node(parent: 0, archived: .keep, declared: .follow),
        Node(parent: 1, archived: .follow),
        Node(parent: 0, archived: .block, declared: .value),
        Node(parent: 3, archived: .follow),
        Node(parent: 0, archived: .value, declared: .block),
      ]
      let complaint = try Self.complaint(shape)
      #expect(complaint == nil)
    }
  }
}
