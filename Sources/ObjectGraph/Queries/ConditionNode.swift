/// A node of a condition's tree. All conditions that contain the node share it.
///
/// If a part of an `and` is also an `and`, the node refers to that part and does not copy its
/// parts. So a chain of a thousand terms is a thousand nodes deep, although it counts as one level.
final class ConditionNode: @unchecked Sendable {
  // Only `deinit` writes, and only to nodes that have no other reference.

  enum ConditionKind: Hashable, Sendable {
    case leaf(Condition.Leaf)
    case and, or, not
    case any(ToManyPath), all(ToManyPath)
  }

  let kind: ConditionKind
  private(set) var parts: [ConditionNode]
  let levels: Int
  let terms: Int
  let closures: Int

  init(_ kind: ConditionKind, _ parts: [ConditionNode]) {
    self.kind = kind
    self.parts = parts
    var levels = 0
    var terms = 0
    var closures = 0
    for part in parts {
      levels = max(levels, part.joins(kind) ? part.levels - 1 : part.levels)
      terms += part.terms
      closures = max(closures, part.closures)
    }
    switch kind {
    case .leaf: (self.levels, self.terms, self.closures) = (0, 1, 0)
    case .and, .or, .not: (self.levels, self.terms, self.closures) = (levels + 1, terms, closures)
    case .any, .all: (self.levels, self.terms, self.closures) = (levels + 1, terms, closures + 1)
    }
  }

  /// Frees the parts in a loop, because nested releases would overflow the stack.
  deinit {
    guard !parts.isEmpty else { return }
    var doomed = parts
    parts = []
    while var node = doomed.popLast() {
      guard !node.parts.isEmpty, isKnownUniquelyReferenced(&node) else { continue }
      doomed += node.parts
      node.parts = []
    }
  }

  /// Returns whether this node and the operator around it are both `and`, or both `or`.
  private func joins(_ outer: ConditionKind) -> Bool {
    switch (kind, outer) {
    case (.and, .and), (.or, .or): true
    default: false
    }
  }

  /// The parts of the node. If a part of an `and` is also an `and`, its own parts replace it. The
  /// parts of an `or` are replaced in the same way.
  var operands: [ConditionNode] {
    guard parts.contains(where: { $0.joins(kind) }) else { return parts }
    var operands: [ConditionNode] = []
    var waiting = Array(parts.reversed())
    while let part = waiting.popLast() {
      if part.joins(kind) { waiting += part.parts.reversed() } else { operands.append(part) }
    }
    return operands
  }
}

extension Condition {
  /// A step of a walk through a condition, from left to right.
  package enum Visit {
    case leaf(Leaf)
    /// The step before the parts of an operator. The integer is the number of parts.
    case enter(Word, Int)
    /// The step between two parts of an `and` or `or`.
    case between(Word)
    case exit(Word, Int)
  }

  /// An operator, which joins several conditions or changes one condition.
  package enum Word: Hashable, Sendable {
    case and, or, not
    case any(ToManyPath), all(ToManyPath)
  }

  /// Calls the closure at each step of a walk through the condition.
  package func walk(_ body: (Visit) throws -> Void) rethrows {
    enum PendingNode { case node(ConditionNode), say(Visit) }
    var waiting = [PendingNode.node(node)]
    while let task = waiting.popLast() {
      switch task {
      case .say(let visit): try body(visit)
      case .node(let node):
        guard let word = node.word else {
          if case .leaf(let leaf) = node.kind { try body(.leaf(leaf)) }
          continue
        }
        let operands = node.operands
        try body(.enter(word, operands.count))
        waiting.append(.say(.exit(word, operands.count)))
        for (index, operand) in operands.enumerated().reversed() {
          waiting.append(.node(operand))
          if index > 0 { waiting.append(.say(.between(word))) }
        }
      }
    }
  }
}

extension ConditionNode {
  /// The operator of the node; nil for a leaf.
  var word: Condition.Word? {
    switch kind {
    case .leaf: nil
    case .and: .and
    case .or: .or
    case .not: .not
    case .any(let path): .any(path)
    case .all(let path): .all(path)
    }
  }
}
