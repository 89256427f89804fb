import ObjectGraph

// SQL has three truth values, conditions have two. Negations are pushed down to the leaves, and each
// leaf is written so that "unknown" only stands where false is meant: below AND, OR and WHERE.

extension SelectWriter {
  mutating func condition(_ condition: Condition, of root: Source) throws -> String {
    try write(condition, isNegated: false, of: root, depth: 0)
  }

  private mutating func write(
    _ condition: Condition, isNegated: Bool, of root: Source, depth: Int
  ) throws -> String {
    guard depth < 200 else {
      throw GraphError(
        "fetch \(model.layouts[root.entity].name)",
        .store(code: 1, "the condition is nested more than 200 levels deep"))
    }
    switch condition {
    case .constant(let value): return value != isNegated ? "1" : "0"
    case .not(let inner):
      return try write(inner, isNegated: !isNegated, of: root, depth: depth + 1)
    case .and(let terms):
      return try join(terms, isNegated ? "OR" : "AND", isNegated, root, depth)
    case .or(let terms):
      return try join(terms, isNegated ? "AND" : "OR", isNegated, root, depth)
    case .compare(let path, let comparison, let literal):
      let place = try model.place(path, from: root.entity)
      try model.check(literal, comparison, at: place, path)
      let left = expression(place, of: root)
      return compare(left, isNegated ? comparison.opposite : comparison, literal, isNegated)
    case .compareProperties(let one, let comparison, let other):
      let place = try model.place(one, from: root.entity)
      let second = try model.place(other, from: root.entity)
      try model.check(place, one, comparesWith: second)
      let left = expression(place, of: root)
      let right = expression(second, of: root)
      return compare(left, comparison, right, isNegated)
    case .isIn(let path, let literals):
      let place = try model.place(path, from: root.entity)
      for literal in literals { try model.check(literal, .equal, at: place, path) }
      return isIn(expression(place, of: root), literals, place, isNegated)
    case .text(let path, let test, let text, let options):
      let place = try model.place(path, from: root.entity)
      try model.check(.text(text), .equal, at: place, path)
      return self.text(expression(place, of: root), test, text, options, isNegated)
    case .any(let path, let inner):
      return try exists(path, inner, isInnerNegated: false, isNegated, root, depth)
    case .all(let path, let inner):
      return try exists(path, inner, isInnerNegated: true, !isNegated, root, depth)
    case .count(let path, let comparison, let count):
      let place = try model.place(path, from: root.entity)
      let owner = expression(place, of: root)
      let target = source(place.entity)
      let column = quoted(model.layouts[place.entity].columns[place.column].name)
      let figure =
        "(SELECT count(*) FROM \(from(target)) WHERE \(target.alias).\(column) = \(owner))"
      let comparison = isNegated ? comparison.opposite : comparison
      return "\(figure) \(comparison.sql) \(bind(.integer(Int64(count))))"
    }
  }

  // MARK: And, or

  private mutating func join(
    _ terms: [Condition], _ word: String, _ isNegated: Bool, _ root: Source, _ depth: Int
  ) throws -> String {
    let isAnd = word == "AND"
    var written: [String] = []
    // Chains of the same word become one list, however deep they were nested.
    var waiting = Array(terms.reversed())
    while let term = waiting.popLast() {
      switch term {
      case .and(let inner) where isAnd != isNegated: waiting += inner.reversed()
      case .or(let inner) where isAnd == isNegated: waiting += inner.reversed()
      default:
        written.append(try write(term, isNegated: isNegated, of: root, depth: depth + 1))
      }
    }
    guard !written.isEmpty else { return isAnd ? "1" : "0" }
    return Self.balanced(written[...], " \(word) ")
  }

  /// SQLite limits the depth of expressions, and a list without parentheses is as deep as long.
  private static func balanced(_ terms: ArraySlice<String>, _ word: String) -> String {
    if terms.count == 1, let only = terms.first { return only }
    if terms.count <= 100 { return "(" + terms.joined(separator: word) + ")" }
    let size = max(100, (terms.count + 99) / 100)
    var groups: [String] = []
    var rest = terms
    while !rest.isEmpty {
      groups.append(balanced(rest.prefix(size), word))
      rest = rest.dropFirst(size)
    }
    return balanced(groups[...], word)
  }

  // MARK: Comparisons

  /// The comparison is already the opposite one if negated.
  private mutating func compare(
    _ left: String, _ comparison: Comparison, _ literal: Stored, _ isNegated: Bool
  ) -> String {
    switch (comparison, literal) {
    case (.equal, .null): return "\(left) IS NULL"
    case (.notEqual, .null): return "\(left) IS NOT NULL"
    case (.equal, _): return "\(left) = \(bind(literal))"
    case (.notEqual, _): return "\(left) IS NOT \(bind(literal))"
    // Nothing is less or greater than nil.
    case (_, .null): return isNegated ? "1" : "0"
    default:
      let test = "\(left) \(comparison.sql) \(bind(literal))"
      return isNegated ? "(\(left) IS NULL OR \(test))" : test
    }
  }

  private func compare(
    _ left: String, _ comparison: Comparison, _ right: String, _ isNegated: Bool
  ) -> String {
    switch isNegated ? comparison.opposite : comparison {
    case .equal: "\(left) IS \(right)"
    case .notEqual: "\(left) IS NOT \(right)"
    case let comparison:
      isNegated
        ? "(\(left) IS NULL OR \(right) IS NULL OR \(left) \(comparison.sql) \(right))"
        : "\(left) \(comparison.sql) \(right)"
    }
  }

  private mutating func isIn(
    _ left: String, _ literals: [Stored], _ place: Place, _ isNegated: Bool
  ) -> String {
    var values = literals.compactMap { $0.exactly(as: place.storage) }
    let hasNull = values.contains(.null)
    if hasNull { values.removeAll { $0.isNull } }
    let list = list(left, values)
    return switch (isNegated, hasNull) {
    case (false, false): list
    case (false, true): "(\(left) IS NULL OR \(list))"
    case (true, false): "(\(left) IS NULL OR NOT \(list))"
    case (true, true): "(\(left) IS NOT NULL AND NOT \(list))"
    }
  }

  /// Unknown if the left side is nil.
  private mutating func list(_ left: String, _ values: [Stored]) -> String {
    guard !values.isEmpty else { return "0" }
    if values.count > 16 {
      let integers = values.compactMap { value -> String? in
        if case .integer(let integer) = value { String(integer) } else { nil }
      }
      if integers.count == values.count {
        // One parameter, whatever the count, so that the statement is prepared once.
        let json = "[" + integers.joined(separator: ",") + "]"
        return "\(left) IN (SELECT value FROM json_each(\(bind(.text(json)))))"
      }
    }
    // SQLite admits 32,766 parameters unless built otherwise.
    guard parameters.count + values.count <= 20_000 else {
      return "lineage_in(\(left), \(bind(.values(ValueSet(values)))))"
    }
    return "\(left) IN (" + values.map { bind($0) }.joined(separator: ", ") + ")"
  }

  private mutating func text(
    _ left: String, _ test: TextTest, _ text: String, _ options: TextOptions, _ isNegated: Bool
  ) -> String {
    let holds: String
    switch test {
    case _ where !options.isEmpty:
      holds = "lineage_text(\(left), \(bind(.text(TextMatch(test, text, options)))))"
    case .equals: holds = "\(left) = \(bind(.text(text)))"
    case .contains: holds = "instr(\(left), \(bind(.text(text)))) > 0"
    case .hasPrefix:
      // A range, so that an index can serve it.
      var end = Array(text.utf8)
      guard let last = end.popLast() else {
        return isNegated ? "\(left) IS NULL" : "\(left) IS NOT NULL"
      }
      end.append(last + 1)
      holds = "(\(left) >= \(bind(.text(text))) AND \(left) < \(bind(.bytes(end))))"
    case .hasSuffix:
      holds = "lineage_text(\(left), \(bind(.text(TextMatch(test, text, options)))))"
    }
    return isNegated ? "(\(left) IS NULL OR NOT \(holds))" : holds
  }

  // MARK: To-many relations

  private mutating func exists(
    _ path: ToManyPath, _ inner: Condition, isInnerNegated: Bool, _ isNegated: Bool,
    _ root: Source, _ depth: Int
  ) throws -> String {
    let place = try model.place(path, from: root.entity)
    let owner = expression(place, of: root)
    let target = source(place.entity)
    let condition = try write(inner, isNegated: isInnerNegated, of: target, depth: depth + 1)
    let column = quoted(model.layouts[place.entity].columns[place.column].name)
    let test =
      "EXISTS (SELECT 1 FROM \(from(target)) WHERE \(target.alias).\(column) = \(owner)"
      + " AND \(condition))"
    return isNegated ? "NOT \(test)" : test
  }
}

extension Comparison {
  var sql: String {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  var opposite: Comparison {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }
}
