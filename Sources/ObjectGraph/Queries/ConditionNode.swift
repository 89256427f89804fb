/// A node of a condition. All conditions that contain it share it.
///
/// An `and` of an `and` and one more term refers to the first `and`. So a chain of a thousand terms
/// is a thousand nodes deep, although it is one level.
final class ConditionNode: @unchecked Sendable {
  // Only `deinit` writes, and only to nodes to which no other reference exists.

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

  /// Returns whether this node is an `and` in an `and`, or an `or` in an `or`.
  private func joins(_ outer: ConditionKind) -> Bool {
    switch (kind, outer) {
    case (.and, .and), (.or, .or): true
    default: false
    }
  }

  /// The parts, where parts with the same operator are replaced by their own parts.
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
  /// A point of the walk through a condition, from left to right.
  package enum Visit {
    case leaf(Leaf)
    /// The point before the parts of an operator, with their number.
    case enter(Word, Int)
    /// The point between two parts of an `and` or `or`.
    case between(Word)
    case exit(Word, Int)
  }

  /// An operator that joins conditions or changes one.
  package enum Word: Hashable, Sendable {
    case and, or, not
    case any(ToManyPath), all(ToManyPath)
  }

  /// Calls the closure at each point of the condition.
  package func walk(_ body: (Visit) throws -> Void) rethrows {
    enum Task { case node(ConditionNode), say(Visit) }
    var waiting = [Task.node(node)]
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
