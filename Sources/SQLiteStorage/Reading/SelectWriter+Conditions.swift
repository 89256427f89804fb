import ObjectGraph

// SQL has three truth values, conditions have two. Negations are pushed down to the leaves, and each
// leaf is written so that "unknown" only stands where false is meant: below AND, OR and WHERE.

extension SelectWriter {
  /// What is left of the depths that SQLite admits; what needs more is left to a judge.
  ///
  /// The numbers are of SQLite as it is built by default: its parser has a stack of 100, its
  /// expressions may be 1000 deep, and a leaf takes its part of both.
  struct Room {
    var stack = 65
    var height = 850

    func isEnough(for cost: Room) -> Bool { cost.stack <= stack && cost.height <= height }

    static func - (one: Room, other: Room) -> Room {
      Room(stack: one.stack - other.stack, height: one.height - other.height)
    }
  }

  mutating func condition(_ condition: Condition, of root: Source) throws -> String {
    try model.checkSize(of: condition, fetching: root.entity)
    return try write(condition, isNegated: false, of: root, Room())
  }

  /// Calls itself no deeper than there is room.
  private mutating func write(
    _ condition: Condition, isNegated: Bool, of root: Source, _ room: Room
  ) throws -> String {
    var (condition, isNegated) = (condition, isNegated)
    while case .not(let inner) = condition.form { (condition, isNegated) = (inner, !isNegated) }
    switch condition.form {
    case .leaf(let leaf):
      if isFull { return try judged(condition, isNegated, root) }
      let sql = try write(leaf, isNegated: isNegated, of: root)
      written += sql.utf8.count
      return sql
    case .and(let terms):
      return try join(condition, terms, isAnd: !isNegated, isNegated, root, room)
    case .or(let terms):
      return try join(condition, terms, isAnd: isNegated, isNegated, root, room)
    case .any(let path, let inner):
      return try exists(condition, path, inner, isInnerNegated: false, isNegated, root, room)
    case .all(let path, let inner):
      return try exists(condition, path, inner, isInnerNegated: true, isNegated, root, room)
    case .not(let inner): return try write(inner, isNegated: !isNegated, of: root, room)
    }
  }

  private mutating func write(
    _ leaf: Condition.Leaf, isNegated: Bool, of root: Source
  ) throws -> String {
    switch leaf {
    case .constant(let value): return value != isNegated ? "1" : "0"
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
      try model.check(.text(text.text), .equal, at: place, path)
      return self.text(expression(place, of: root), test, text.text, options, isNegated)
    case .count(let path, let comparison, let count):
      return try self.count(path, isNegated ? comparison.opposite : comparison, count, root)
    case .excess(let limit):
      throw GraphError.excess(limit, fetching: model.layouts[root.entity].name)
    }
  }

  /// A condition that SQL cannot hold, evaluated for each row by what evaluates rows in memory.
  private mutating func judged(
    _ condition: Condition, _ isNegated: Bool, _ root: Source
  ) throws -> String {
    let matcher = try Matcher(condition, entity: root.entity, model: model)
    return "\(judge(.condition(matcher), of: root)) = \(isNegated ? 0 : 1)"
  }

  // MARK: And, or

  /// Terms that are written side by side.
  private static let chunk = 50

  private mutating func join(
    _ condition: Condition, _ terms: [Condition], isAnd: Bool, _ isNegated: Bool, _ root: Source,
    _ room: Room
  ) throws -> String {
    var nesting = 1
    var count = terms.count
    while count > Self.chunk {
      nesting += 1
      count = (count + Self.chunk - 1) / Self.chunk
    }
    let cost = Room(stack: 3 * nesting, height: min(terms.count, Self.chunk) * nesting + 1)
    guard room.isEnough(for: cost) else { return try judged(condition, isNegated, root) }
    var written: [String] = []
    for (index, term) in terms.enumerated() {
      if isFull {
        let rest = Array(terms[index...])
        written.append(
          try judged(isAnd == isNegated ? .or(rest) : .and(rest), isNegated, root))
        break
      }
      written.append(try write(term, isNegated: isNegated, of: root, room - cost))
    }
    guard !written.isEmpty else { return isAnd ? "1" : "0" }
    return Self.balanced(written[...], isAnd ? " AND " : " OR ")
  }

  /// A list without parentheses is as deep as long.
  private static func balanced(_ terms: ArraySlice<String>, _ word: String) -> String {
    var terms = Array(terms)
    while terms.count > 1 {
      terms = stride(from: 0, to: terms.count, by: chunk).map { start in
        let part = terms[start..<min(start + chunk, terms.count)]
        return part.count == 1 ? part[start] : "(" + part.joined(separator: word) + ")"
      }
    }
    return terms[0]
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
    guard parameters.count + values.count <= Self.mostParameters else {
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
    // SQLite compares the whole text at each place where it may begin.
    case .contains where text.utf8.count <= 64:
      holds = "instr(\(left), \(bind(.text(text)))) > 0"
    case .hasPrefix:
      // A range, so that an index can serve it.
      var end = Array(text.utf8)
      guard let last = end.popLast() else {
        return isNegated ? "\(left) IS NULL" : "\(left) IS NOT NULL"
      }
      end.append(last + 1)
      holds = "(\(left) >= \(bind(.text(text))) AND \(left) < \(bind(.bytes(end))))"
    case .contains, .hasSuffix:
      holds = "lineage_text(\(left), \(bind(.text(TextMatch(test, text, options)))))"
    }
    return isNegated ? "(\(left) IS NULL OR NOT \(holds))" : holds
  }

  // MARK: To-many relations

  /// Each row of the relation is looked at once for each closure: owners that the root reaches by a
  /// to-many property alone share none, and for those that many rows can refer to the statement
  /// finds all that have such objects, once.
  private mutating func exists(
    _ condition: Condition, _ path: ToManyPath, _ inner: Condition, isInnerNegated: Bool,
    _ isNegated: Bool, _ root: Source, _ room: Room
  ) throws -> String {
    let cost = Room(stack: 13, height: 8)
    guard room.isEnough(for: cost), !isFull else { return try judged(condition, isNegated, root) }
    let place = try model.place(path, from: root.entity)
    let isEmpty = isNegated != isInnerNegated
    let owner = expression(place, of: root)
    let target = source(place.entity)
    let test = try write(inner, isNegated: isInnerNegated, of: target, room - cost)
    let column = "\(target.alias).\(quoted(model.layouts[place.entity].columns[place.column].name))"
    if place.hops.isEmpty {
      return "\(isEmpty ? "NOT " : "")EXISTS (SELECT 1 FROM \(from(target))"
        + " WHERE \(column) = \(owner) AND \(test))"
    }
    return owners(owner, isOne: !isEmpty, "\(column) FROM \(from(target))", column, "AND \(test)")
  }

  private mutating func count(
    _ path: ToManyPath, _ comparison: Comparison, _ count: Int, _ root: Source
  ) throws -> String {
    let place = try model.place(path, from: root.entity)
    let owner = expression(place, of: root)
    let target = source(place.entity)
    let column = "\(target.alias).\(quoted(model.layouts[place.entity].columns[place.column].name))"
    let literal = Stored.integer(Int64(count))
    if place.hops.isEmpty {
      return "(SELECT count(*) FROM \(from(target)) WHERE \(column) = \(owner))"
        + " \(comparison.sql) \(bind(literal))"
    }
    // An owner without members is in no group.
    let isOne = !comparison.holds(.integer(0), literal)
    let wanted = isOne ? comparison : comparison.opposite
    return owners(
      owner, isOne: isOne, "\(column) FROM \(from(target))", column,
      "GROUP BY \(column) HAVING count(*) \(wanted.sql) \(bind(literal))")
  }

  /// Whether an owner, who may be null, is among those that a column refers to, or is not.
  private func owners(
    _ owner: String, isOne: Bool, _ selected: String, _ column: String, _ rest: String
  ) -> String {
    let list = "(SELECT \(selected) WHERE \(column) IS NOT NULL \(rest))"
    return isOne ? "\(owner) IN \(list)" : "(\(owner) IS NULL OR \(owner) NOT IN \(list))"
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
