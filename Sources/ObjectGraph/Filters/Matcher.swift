/// A condition made ready to be asked of rows in memory: names looked up, literals checked.
///
/// It says the same of a row as the SQL that a store makes of the condition.
package struct Matcher: Sendable {
  private let test: Test?

  /// Throws for names that the schema lacks and for literals that no such column can hold.
  package init(_ condition: Condition?, entity: Int, model: Model) throws(GraphError) {
    guard let condition else {
      test = nil
      return
    }
    test = try Test(condition, entity: entity, model: model)
  }

  /// Whether the row meets the condition.
  package func matches(_ row: some RowSource) throws -> Bool {
    try test?.holds(for: row) ?? true
  }
}

/// A condition with places instead of names.
private indirect enum Test: Sendable {
  case constant(Bool)
  case compare(Place, Comparison, Stored)
  case comparePlaces(Place, Comparison, Place)
  case isIn(Place, Set<Stored>)
  case text(Place, TextPattern)
  case any(ManyPlace, Test)
  case all(ManyPlace, Test)
  case count(ManyPlace, Comparison, Int)
  case and([Test])
  case or([Test])
  case not(Test)

  func holds<Row: RowSource>(for row: Row) throws -> Bool {
    switch self {
    case .constant(let value): value
    case .compare(let place, let comparison, let literal):
      comparison.holds(try row.stored(at: place), literal)
    case .comparePlaces(let one, let comparison, let other):
      comparison.holds(try row.stored(at: one), try row.stored(at: other))
    case .isIn(let place, let literals): literals.contains(try row.stored(at: place))
    case .text(let place, let pattern):
      if case .text(let text) = try row.stored(at: place) { pattern.matches(text) } else { false }
    case .any(let many, let test): try row.rows(at: many).contains { try test.holds(for: $0) }
    case .all(let many, let test): try row.rows(at: many).allSatisfy { try test.holds(for: $0) }
    case .count(let many, let comparison, let count):
      comparison.holds(.integer(Int64(try row.rows(at: many).count)), .integer(Int64(count)))
    case .and(let tests): try tests.allSatisfy { try $0.holds(for: row) }
    case .or(let tests): try tests.contains { try $0.holds(for: row) }
    case .not(let test): try !test.holds(for: row)
    }
  }
}

extension Test {
  init(_ condition: Condition, entity: Int, model: Model) throws(GraphError) {
    switch condition {
    case .constant(let value): self = .constant(value)
    case .compare(let path, let comparison, let literal):
      let place = try model.place(path, from: entity)
      try model.check(literal, comparison, at: place, path)
      self = .compare(place, comparison, literal)
    case .compareProperties(let one, let comparison, let other):
      let (place, second) = (
        try model.place(one, from: entity), try model.place(other, from: entity)
      )
      try model.check(place, one, comparesWith: second)
      self = .comparePlaces(place, comparison, second)
    case .isIn(let path, let literals):
      let place = try model.place(path, from: entity)
      for literal in literals { try model.check(literal, .equal, at: place, path) }
      self = .isIn(place, Set(literals.compactMap { $0.exactly(as: place.storage) }))
    case .text(let path, let test, let text, let options):
      let place = try model.place(path, from: entity)
      try model.check(.text(text), .equal, at: place, path)
      self = .text(place, TextPattern(test, text, options))
    case .any(let path, let condition):
      let many = try model.place(path, from: entity)
      self = .any(many, try Test(condition, entity: many.entity, model: model))
    case .all(let path, let condition):
      let many = try model.place(path, from: entity)
      self = .all(many, try Test(condition, entity: many.entity, model: model))
    case .count(let path, let comparison, let count):
      self = .count(try model.place(path, from: entity), comparison, count)
    case .and(let conditions):
      self = .and(try Self.tests(conditions, entity, model))
    case .or(let conditions):
      self = .or(try Self.tests(conditions, entity, model))
    case .not(let condition):
      self = .not(try Test(condition, entity: entity, model: model))
    }
  }

  private static func tests(
    _ conditions: [Condition], _ entity: Int, _ model: Model
  ) throws(GraphError) -> [Test] {
    var tests: [Test] = []
    for condition in conditions {
      tests.append(try Test(condition, entity: entity, model: model))
    }
    return tests
  }
}
