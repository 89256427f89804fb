import ObjectGraph

// SQL has three truth values (true, false and unknown), and conditions have two. So each negation
// is moved to the leaves, which are the single tests. Each leaf is written so that "unknown"
// appears only inside AND, OR and WHERE, where it has the effect of "false".
//
// A test that the dialect cannot write, or for which the statement has no room, is replaced by a
// constant that lets more rows through: true, and false inside NOT EXISTS. The reader then tests the
// whole condition on each row.

extension SelectWriter {
  /// Returns the SQL of a condition on the table's rows. If ``testsLess`` is true afterwards, the SQL
  /// lets more rows through.
  mutating func condition(_ condition: Condition, of root: SelectSource) throws -> String {
    try model.checkSize(of: condition, fetching: root.entity)
    let depthLimits = DepthLimits(stack: limits.stack, height: limits.height)
    return try write(condition, isNegated: false, of: root, depthLimits, widening: true)
  }

  /// Returns the SQL of a condition. The function recurses only as deep as `limits` allows.
  /// `widening` is the constant for a test that is not written.
  private mutating func write(
    _ condition: Condition, isNegated: Bool, of root: SelectSource, _ limits: DepthLimits,
    widening: Bool
  ) throws -> String {
    var (condition, isNegated) = (condition, isNegated)
    while case .not(let inner) = condition.form { (condition, isNegated) = (inner, !isNegated) }
    let sql: String?
    switch condition.form {
    case .leaf(let leaf):
      sql = isFull ? nil : try write(leaf, isNegated: isNegated, of: root)
      written += sql?.utf8.count ?? 0
    case .and(let terms):
      sql = try join(terms, isAnd: !isNegated, isNegated, root, limits, widening)
    case .or(let terms):
      sql = try join(terms, isAnd: isNegated, isNegated, root, limits, widening)
    case .any(let path, let inner):
      sql = try exists(path, inner, isInnerNegated: false, isNegated, root, limits, widening)
    case .all(let path, let inner):
      sql = try exists(path, inner, isInnerNegated: true, isNegated, root, limits, widening)
    case .not: sql = nil
    }
    return sql ?? unwritten(widening)
  }

  /// Returns the constant for a test that is not written.
  private mutating func unwritten(_ widening: Bool) -> String {
    testsLess = true
    return dialect.truth(widening)
  }

  private mutating func write(
    _ leaf: Condition.Leaf, isNegated: Bool, of root: SelectSource
  ) throws -> String? {
    switch leaf {
    case .constant(let value): return dialect.truth(value != isNegated)
    case .compare(let path, let comparison, let literal):
      let place = try model.place(path, from: root.entity)
      try model.check(literal, comparison, at: place, path)
      guard let left = expression(place, of: root) else { return nil }
      return compare(left, comparison, literal, place, isNegated)
    case .compareProperties(let one, let comparison, let other):
      let place = try model.place(one, from: root.entity)
      let second = try model.place(other, from: root.entity)
      try model.check(place, one, comparesWith: second)
      guard dialect.canCompare(place.kind, second.kind),
        let left = expression(place, of: root), let right = expression(second, of: root)
      else { return nil }
      return compare(left, isNegated ? comparison.opposite : comparison, right, place, isNegated)
    case .isIn(let path, let literals):
      let place = try model.place(path, from: root.entity)
      for literal in literals { try model.check(literal, .equal, at: place, path) }
      return expression(place, of: root).flatMap { isIn($0, literals, place, isNegated) }
    case .text(let path, let test, let text, let options):
      let place = try model.place(path, from: root.entity)
      try model.checkText(at: place, path)
      guard let left = expression(place, of: root) else { return nil }
      return self.text(left, test, text.text, options, isNegated)
    case .count(let path, let comparison, let count):
      return try self.count(path, isNegated ? comparison.opposite : comparison, count, root)
    case .excess(let limit):
      throw GraphError.excess(limit, fetching: model.layouts[root.entity].name)
    }
  }

  // MARK: And, or

  private mutating func join(
    _ terms: [Condition], isAnd: Bool, _ isNegated: Bool, _ root: SelectSource,
    _ limits: DepthLimits, _ widening: Bool
  ) throws -> String? {
    var nesting = 1
    var count = terms.count
    while count > chunk {
      nesting += 1
      count = (count + chunk - 1) / chunk
    }
    let cost = DepthLimits(stack: 3 * nesting, height: min(terms.count, chunk) * nesting + 1)
    guard limits.isEnough(for: cost) else { return nil }
    var written: [String] = []
    for term in terms {
      if isFull {
        written.append(unwritten(widening))
        break
      }
      written.append(
        try write(term, isNegated: isNegated, of: root, limits - cost, widening: widening))
    }
    guard !written.isEmpty else { return dialect.truth(isAnd) }
    return balanced(written[...], isAnd ? " AND " : " OR ")
  }

  /// Returns the terms joined by AND or OR, in nested parentheses. Without the parentheses, the
  /// depth of the expression would be the number of terms.
  private func balanced(_ terms: ArraySlice<String>, _ word: String) -> String {
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

  /// Returns a comparison with a literal.
  private mutating func compare(
    _ left: String, _ comparison: Comparison, _ literal: StoredValue, _ place: ResolvedPath,
    _ isNegated: Bool
  ) -> String? {
    var literal = literal
    if place.storage == .integer, case .real(let real) = literal {
      guard let bound = comparison.bound(real) else {
        // The comparison has the same result for all integers, and is false for nil.
        let holds = comparison.holds(.integer(0), literal, in: .numbers) != isNegated
        if comparison == .equal || comparison == .notEqual { return dialect.truth(holds) }
        return isNegated
          ? (holds ? dialect.truth(true) : "\(left) IS NULL")
          : (holds ? "\(left) IS NOT NULL" : dialect.truth(false))
      }
      literal = .integer(bound)
    } else if case .integer = literal, place.storage == .real, !dialect.comparesNumbersExactly {
      guard let exact = literal.exactly(as: .real) else { return nil }
      literal = exact
    }
    let comparison = isNegated ? comparison.opposite : comparison
    switch (comparison, literal) {
    case (.equal, .null): return "\(left) IS NULL"
    case (.notEqual, .null): return "\(left) IS NOT NULL"
    case (.equal, _): return "\(left) = \(bind(literal, as: place.kind))"
    case (.notEqual, _): return "\(left) \(dialect.isDifferent) \(bind(literal, as: place.kind))"
    // No value is less or greater than nil.
    case (_, .null): return dialect.truth(isNegated)
    default:
      guard let ordered = dialect.ordered(left, by: place.order) else { return nil }
      let test = "\(ordered) \(comparison.sql) \(bind(literal, as: place.kind))"
      return isNegated ? "(\(left) IS NULL OR \(test))" : test
    }
  }

  /// Returns a comparison of two properties. The caller has already replaced a negated comparison
  /// with its opposite.
  private func compare(
    _ left: String, _ comparison: Comparison, _ right: String, _ place: ResolvedPath,
    _ isNegated: Bool
  ) -> String? {
    switch comparison {
    case .equal: return "\(left) \(dialect.isSame) \(right)"
    case .notEqual: return "\(left) \(dialect.isDifferent) \(right)"
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard let ordered = dialect.ordered(left, by: place.order) else { return nil }
      let test = "\(ordered) \(comparison.sql) \(right)"
      return isNegated ? "(\(left) IS NULL OR \(right) IS NULL OR \(test))" : test
    }
  }

  private mutating func isIn(
    _ left: String, _ literals: [StoredValue], _ place: ResolvedPath, _ isNegated: Bool
  ) -> String? {
    var values = literals.compactMap { $0.exactly(as: place.storage) }
    let hasNull = values.contains(.null)
    if hasNull { values.removeAll { $0.isNull } }
    guard let list = isIn(left, values, place.kind) else { return nil }
    return switch (isNegated, hasNull) {
    case (false, false): list
    case (false, true): "(\(left) IS NULL OR \(list))"
    case (true, false): "(\(left) IS NULL OR NOT \(list))"
    case (true, true): "(\(left) IS NOT NULL AND NOT \(list))"
    }
  }

  private mutating func isIn(
    _ left: String, _ values: [StoredValue], _ kind: ColumnKind
  ) -> String? {
    if values.isEmpty { return dialect.truth(false) }
    if let list = dialect.isIn(left, values, kind, &parameters) { return list }
    guard parameters.count + values.count <= limits.parameters else { return nil }
    return "(" + balanced(values.map { "\(left) = \(bind($0, as: kind))" }[...], " OR ") + ")"
  }

  private mutating func text(
    _ left: String, _ test: TextTest, _ text: String, _ options: TextOptions, _ isNegated: Bool
  ) -> String? {
    if test == .hasPrefix, options.isEmpty, text.isEmpty {
      return isNegated ? "\(left) IS NULL" : "\(left) IS NOT NULL"
    }
    guard let holds = dialect.text(left, test, text, options, &parameters) else { return nil }
    return isNegated ? "(\(left) IS NULL OR NOT \(holds))" : holds
  }

  // MARK: To-many relations

  /// Returns a test of the objects of a to-many relation.
  ///
  /// The test examines each related row at most once. For a to-many property of the root itself,
  /// the test is `EXISTS`, because each related row has only one owner. At the end of a to-one
  /// relation, many root rows can share an owner, so the test is `IN` with a subquery. The engine
  /// evaluates this subquery once, because it does not depend on the root row.
  private mutating func exists(
    _ path: ToManyPath, _ inner: Condition, isInnerNegated: Bool, _ isNegated: Bool,
    _ root: SelectSource, _ limits: DepthLimits, _ widening: Bool
  ) throws -> String? {
    let cost = DepthLimits(stack: 13, height: 8)
    guard limits.isEnough(for: cost), !isFull,
      let (place, owner, target, column) = try members(path, root)
    else { return nil }
    let isEmpty = isNegated != isInnerNegated
    let test = try write(
      inner, isNegated: isInnerNegated, of: target, limits - cost, widening: widening != isEmpty)
    if place.hops.isEmpty {
      return "\(isEmpty ? "NOT " : "")EXISTS (SELECT 1 FROM \(from(target))"
        + " WHERE \(column) = \(owner) AND \(test))"
    }
    return owners(owner, isOne: !isEmpty, "\(column) FROM \(from(target))", column, "AND \(test)")
  }

  private mutating func count(
    _ path: ToManyPath, _ comparison: Comparison, _ count: Int, _ root: SelectSource
  ) throws -> String? {
    guard limits.height > 8, let (place, owner, target, column) = try members(path, root) else {
      return nil
    }
    let literal = StoredValue.integer(Int64(count))
    if place.hops.isEmpty {
      return "(SELECT count(*) FROM \(from(target)) WHERE \(column) = \(owner))"
        + " \(comparison.sql) \(bind(literal, as: .int))"
    }
    // An owner without objects is in no group. If the comparison is true for zero, its opposite is
    // tested instead, and the result is negated.
    let isOne = !comparison.holds(.integer(0), literal, in: .numbers)
    let wanted = isOne ? comparison : comparison.opposite
    return owners(
      owner, isOne: isOne, "\(column) FROM \(from(target))", column,
      "GROUP BY \(column) HAVING count(*) \(wanted.sql) \(bind(literal, as: .int))")
  }

  /// Adds the table of a to-many relation's objects. Returns its place, the owner's id, the table, and
  /// the column that refers to the owner; nil if the owner's table cannot be joined.
  private mutating func members(
    _ path: ToManyPath, _ root: SelectSource
  ) throws -> (ManyPlace, owner: String, SelectSource, column: String)? {
    let place = try model.place(path, from: root.entity)
    guard let owner = expression(place.owner(from: root.entity), of: root) else { return nil }
    let target = source(place.entity)
    let column = name(place.column, of: target)
    return (place, owner, target, column)
  }

  /// Returns a test whether an owner is among the ids that a column has or, if `isOne` is false, is
  /// not among them. The owner may be null.
  private func owners(
    _ owner: String, isOne: Bool, _ selected: String, _ column: String, _ rest: String
  ) -> String {
    let list = "(SELECT \(selected) WHERE \(column) IS NOT NULL \(rest))"
    return isOne ? "\(owner) IN \(list)" : "(\(owner) IS NULL OR \(owner) NOT IN \(list))"
  }
}

/// The greatest number of terms in one pair of parentheses.
private let chunk = 50

/// The remaining depths that the engine accepts.
private struct DepthLimits {
  var stack: Int
  var height: Int

  func isEnough(for cost: DepthLimits) -> Bool { cost.stack <= stack && cost.height <= height }

  static func - (one: DepthLimits, other: DepthLimits) -> DepthLimits {
    DepthLimits(stack: one.stack - other.stack, height: one.height - other.height)
  }
}

extension Comparison {
  /// Returns the integer with which integers compare as with a real; nil if all integers compare in
  /// the same way. No engine but SQLite compares an integer with a real exactly.
  fileprivate func bound(_ real: Double) -> Int64? {
    switch self {
    case .equal, .notEqual: Int64(exactly: real)
    case .less, .greaterOrEqual: Int64(exactly: real.rounded(.up))
    case .lessOrEqual, .greater: Int64(exactly: real.rounded(.down))
    }
  }

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
