// Conditions are printed as the Swift code that creates them.

extension Condition {
  /// Returns the condition as Swift code, as in the closure of a filter.
  func printed(of layout: Layout) -> String {
    enum PendingNode { case node(ConditionNode, in: ConditionNode?, of: Layout?), text(String) }
    var text = ""
    var waiting = [PendingNode.node(node, in: nil, of: layout)]
    while let task = waiting.popLast() {
      guard case .node(let node, let outer, let layout) = task else {
        if case .text(let piece) = task { text += piece }
        continue
      }
      switch node.kind {
      case .leaf(let leaf): text += leaf.printed(of: layout)
      case .and, .or:
        let operands = node.operands
        let isAnd = if case .and = node.kind { true } else { false }
        var needsParentheses = false
        if case .and? = outer?.kind { needsParentheses = true }
        if operands.isEmpty { text += isAnd ? ".all()" : ".all(false)" }
        if needsParentheses, !operands.isEmpty {
          text += "("
          waiting.append(.text(")"))
        }
        for (index, operand) in operands.enumerated().reversed() {
          waiting.append(.node(operand, in: node, of: layout))
          if index > 0 { waiting.append(.text(isAnd ? " && " : " || ")) }
        }
      case .not:
        if let path = node.parts[0].emptyPath {
          text += "$0.\(path.printed).isEmpty"
        } else if case .leaf(let leaf) = node.parts[0].kind, leaf.isOneWord(of: layout) {
          text += "!" + leaf.printed(of: layout)
        } else if node.parts[0].isClosure {
          text += "!"
          waiting.append(.node(node.parts[0], in: node, of: layout))
        } else {
          text += "!("
          waiting += [.text(")"), .node(node.parts[0], in: node, of: layout)]
        }
      case .any(let path):
        text += "$0.\(path.printed).contains { "
        waiting += [.text(" }"), .node(node.parts[0], in: node, of: layout?.target(of: path))]
      case .all(let path):
        text += "$0.\(path.printed).allSatisfy { "
        waiting += [.text(" }"), .node(node.parts[0], in: node, of: layout?.target(of: path))]
      }
    }
    return text
  }
}

extension ConditionNode {
  fileprivate var isClosure: Bool {
    switch kind {
    case .any, .all: true
    default: false
    }
  }

  /// The to-many property, if the condition asks only whether that property has any object; nil
  /// otherwise.
  fileprivate var emptyPath: ToManyPath? {
    if case .any(let path) = kind, case .leaf(.constant(true)) = parts[0].kind { path } else { nil }
  }
}

extension Condition.Leaf {
  /// Returns whether the leaf, as Swift code, needs no parentheses after a `!`.
  fileprivate func isOneWord(of layout: Layout?) -> Bool {
    switch self {
    case .isIn, .text: true
    case .compare(let path, .equal, .integer(1)): layout?.column(at: path)?.kept == .bool
    default: false
    }
  }

  fileprivate func printed(of layout: Layout?) -> String {
    switch self {
    case .constant(let value): return value ? ".all()" : ".all(false)"
    case .compare(let path, let comparison, let value):
      let column = layout?.column(at: path)
      if comparison == .equal, case .integer(1) = value, column?.kept == .bool,
        column?.isOptional == false
      {
        return "$0.\(path.printed)"
      }
      return "$0.\(path.printed) \(comparison.printed) \(value.printed(of: path, layout))"
    case .compareProperties(let one, let comparison, let other):
      return "$0.\(one.printed) \(comparison.printed) $0.\(other.printed)"
    case .isIn(let path, let values):
      var list = values.prefix(20).map { $0.printed(of: path, layout) }
      if values.count > list.count { list.append("… \(values.count - list.count) more") }
      return "$0.\(path.printed).isIn([\(list.joined(separator: ", "))])"
    case .text(let path, let test, let literal, let options):
      let arguments = [literal.text.debugDescription, options.printed].compactMap(\.self)
      return "$0.\(path.printed).\(test)(\(arguments.joined(separator: ", ")))"
    case .count(let path, let comparison, let count):
      return "$0.\(path.printed).count \(comparison.printed) \(count)"
    case .excess(let limit): return "(\(limit.message))"
    }
  }
}

extension TextOptions {
  fileprivate var printed: String? {
    var words: [String] = []
    if contains(.caseInsensitive) { words.append(".caseInsensitive") }
    if contains(.diacriticInsensitive) { words.append(".diacriticInsensitive") }
    return words.count > 1 ? "[\(words.joined(separator: ", "))]" : words.first
  }
}

extension PropertyPath {
  var printed: String { (relations + [name]).joined(separator: ".") }
}

extension ToManyPath {
  fileprivate var printed: String { (relations + [name]).joined(separator: ".") }
}

extension Comparison {
  fileprivate var printed: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension StoredValue {
  /// Returns the value as Swift code for a comparison with a property.
  fileprivate func printed(of path: PropertyPath, _ layout: Layout?) -> String {
    let end = layout?.end(of: path.relations)
    let column = layout?.column(at: path)
    var type = column?.typeName ?? ""
    if type.hasPrefix("Optional<") { type = String(type.dropFirst(9).dropLast()) }
    if isNull { return "nil" }
    if case .integer(let value) = self {
      if path.name == "id", column == nil { return "\(end?.name ?? "")/\(value)" }
      if let target = column?.target { return "\(target.layout.name)/\(value)" }
    }
    let literal = column?.kept.source(of: self) ?? source
    // The property is an enum, whose raw value the column stores.
    return column?.kind == .custom ? "\(type)(rawValue: \(literal))" : literal
  }
}

extension Layout {
  /// Follows to-one relations, and returns the layout at their end; nil if any of them is not in
  /// the schema.
  fileprivate func end(of relations: [String]) -> Layout? {
    var layout = self
    for name in relations {
      guard let column = layout.column(everNamed: name),
        let target = layout.columns[column].target
      else { return nil }
      layout = target.layout
    }
    return layout
  }

  fileprivate func column(at path: PropertyPath) -> Column? {
    guard let end = end(of: path.relations), let column = end.column(everNamed: path.name) else {
      return nil
    }
    return end.columns[column]
  }

  fileprivate func target(of path: ToManyPath) -> Layout? {
    end(of: path.relations)?.toMany(named: path.name)?.target.layout
  }
}
