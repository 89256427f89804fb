/// A condition prepared for rows in memory: its names have been looked up and its literals checked.
///
/// For each row, the matcher gives the same answer as a store.
package struct Matcher: Sendable {
  private let program: Program?

  /// Creates a matcher for a condition. If the condition is nil, all rows match.
  ///
  /// - Throws: An error if the schema lacks a name of the condition, or if a column cannot be
  ///   compared with its literal.
  package init(_ condition: Condition?, entity: Int, model: Model) throws(GraphError) {
    guard let condition else {
      program = nil
      return
    }
    try model.checkSize(of: condition, fetching: entity)
    program = try Program(condition, entity: entity, model: model)
  }

  /// Returns whether a row matches the condition.
  ///
  /// - Complexity: Each to-many test in the condition is evaluated once for each owner (the object
  ///   that has the property), even if several relations of the row lead to the owner.
  package func matches(_ row: some RowSource) throws -> Bool {
    guard let program else { return true }
    return try program.holds(for: row, program.asksOthers ? Findings() : nil)
  }

  /// Returns whether a row matches the condition. The answers in `findings` must come from rows of
  /// the same moment (read transaction). New answers are added to `findings`.
  package func matches(_ row: some RowSource, _ findings: Findings) throws -> Bool {
    try program?.holds(for: row, findings) ?? true
  }

  /// Returns the rows that match the condition. All rows must be of one moment (read transaction).
  ///
  /// - Complexity: O(*n*) for *n* rows, for each level of to-many closures in the condition.
  package func matching<Row: RowSource>(_ rows: [Row]) throws -> [Row] {
    guard program != nil else { return rows }
    let findings = Findings()
    return try rows.filter { try matches($0, findings) }
  }

  /// The answers that a matcher has already computed for to-many properties. They are valid while
  /// no row changes.
  ///
  /// With these answers, a to-many test is evaluated once for each owner, even if many rows refer
  /// to the owner.
  package final class Findings {
    /// The answers of `any` and `all` tests, stored under the index of the step and the id of the
    /// owner.
    fileprivate var known: [Int: [Int64: Bool]] = [:]
    /// The counts of related objects, stored under the index of the step and the id of the owner.
    fileprivate var counts: [Int: [Int64: Int]] = [:]

    package init() {}

    fileprivate func count(
      at many: ManyPlace, _ step: Int, of row: some RowSource
    ) throws -> Int {
      guard let owner = try row.row(behind: many.hops) else { return 0 }
      if let count = counts[step]?[owner.id] { return count }
      let count = try owner.count(
        of: many.entity, whereColumn: many.column, refersTo: owner.id)
      counts[step, default: [:]][owner.id] = count
      return count
    }
  }
}

/// A condition as a list of steps with jumps, which runs without recursion.
private struct Program: Sendable {
  /// A test of one row that uses no to-many property of the row.
  enum Question: Sendable {
    case constant(Bool)
    case compare(ResolvedPath, Comparison, StoredValue)
    case comparePlaces(ResolvedPath, Comparison, ResolvedPath)
    case isIn(ResolvedPath, Set<StoredValue>)
    case text(ResolvedPath, TextPattern)
  }

  /// A step, which computes or uses the last answer.
  enum ProgramStep: Sendable {
    case ask(Question)
    case count(ManyPlace, Comparison, Int)
    case negate
    /// Jumps to the end of an `and` or `or` if the last answer decides it.
    case skip(to: Int, if: Bool)
    /// Begins a loop over the objects of a to-many relation, and continues with the next step for
    /// the first object. If there is no object, or the answer for the owner is known, jumps to the
    /// step after the matching `next`.
    case each(ManyPlace, isAll: Bool, end: Int)
    /// Continues the loop with the next object, at the step after `each`. If there is no next
    /// object, or the answer is decided, ends the loop.
    case next
  }

  private var steps: [ProgramStep] = []
  /// Whether a step tests a to-many property. Only then is it useful to keep answers.
  private(set) var asksOthers = false

  init(_ condition: Condition, entity: Int, model: Model) throws(GraphError) {
    var entities = [entity]
    // For each operator whose parts are being compiled: the steps that will jump to its end.
    var open: [[Int]] = []
    var failure: GraphError?
    condition.walk { visit in
      guard failure == nil, let entity = entities.last else { return }
      do throws(GraphError) {
        switch visit {
        case .leaf(.count(let path, let comparison, let count)):
          steps.append(.count(try model.place(path, from: entity), comparison, count))
          asksOthers = true
        case .leaf(let leaf):
          steps.append(.ask(try Question(leaf, entity: entity, model: model)))
        case .enter(.and, 0): steps.append(.ask(.constant(true)))
        case .enter(.or, 0): steps.append(.ask(.constant(false)))
        case .enter(.any(let path), _), .enter(.all(let path), _):
          let many = try model.place(path, from: entity)
          let isAll = if case .enter(.all, _) = visit { true } else { false }
          open.append([steps.count])
          steps.append(.each(many, isAll: isAll, end: 0))
          asksOthers = true
          entities.append(many.entity)
          return
        case .enter: break
        case .between(let word):
          open[open.count - 1].append(steps.count)
          steps.append(.skip(to: 0, if: word == .or))
          return
        case .exit(.not, _): steps.append(.negate)
        case .exit(.any, _), .exit(.all, _):
          steps.append(.next)
          entities.removeLast()
        case .exit: break
        }
        switch visit {
        case .enter: open.append([])
        case .exit: for place in open.removeLast() { steps[place].end(at: steps.count) }
        default: break
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// A running loop over the objects of one to-many property.
  private struct ToManyLoop<Row> {
    let step: Int
    let owner: Int64
    /// The row for which the program continues after the loop.
    let row: Row
    var objects: ArraySlice<Row>
  }

  func holds<Row: RowSource>(for first: Row, _ findings: Matcher.Findings?) throws -> Bool {
    var row = first
    var answer = false
    var rounds: [ToManyLoop<Row>] = []
    var place = 0
    while place < steps.count {
      switch steps[place] {
      case .ask(let question): answer = try question.holds(for: row)
      case .count(let many, let comparison, let count):
        let found = try findings?.count(at: many, place, of: row) ?? 0
        answer = comparison.holds(.integer(Int64(found)), .integer(Int64(count)), in: .numbers)
      case .negate: answer.toggle()
      case .skip(let end, let condition):
        if answer == condition {
          place = end
          continue
        }
      case .each(let many, let isAll, let end):
        answer = isAll
        guard let owner = try row.row(behind: many.hops) else {
          place = end
          continue
        }
        if let known = findings?.known[place]?[owner.id] {
          answer = known
          place = end
          continue
        }
        var objects = try owner.rows(
          of: many.entity, whereColumn: many.column, refersTo: owner.id)[...]
        guard let object = objects.popFirst() else {
          place = end
          continue
        }
        rounds.append(ToManyLoop(step: place, owner: owner.id, row: row, objects: objects))
        row = object
      case .next:
        guard let round = rounds.last, case .each(_, let isAll, _) = steps[round.step] else {
          break
        }
        // An `any` ends at the first object that matches the condition, an `all` at the first that
        // does not.
        if answer == isAll, let object = rounds[rounds.count - 1].objects.popFirst() {
          row = object
          place = round.step + 1
          continue
        }
        findings?.known[round.step, default: [:]][round.owner] = answer
        row = round.row
        rounds.removeLast()
      }
      place += 1
    }
    return answer
  }
}

extension Program.ProgramStep {
  fileprivate mutating func end(at end: Int) {
    switch self {
    case .skip(_, let condition): self = .skip(to: end, if: condition)
    case .each(let many, let isAll, _): self = .each(many, isAll: isAll, end: end)
    case .ask, .count, .negate, .next: break
    }
  }
}

extension Program.Question {
  init(_ leaf: Condition.Leaf, entity: Int, model: Model) throws(GraphError) {
    switch leaf {
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
      try model.checkText(at: place, path)
      self = .text(place, TextPattern(test, text.text, options))
    case .count: self = .constant(false)
    case .excess(let limit): throw .excess(limit, fetching: model.layouts[entity].name)
    }
  }

  func holds(for row: some RowSource) throws -> Bool {
    switch self {
    case .constant(let value): value
    case .compare(let place, let comparison, let literal):
      comparison.holds(try row.stored(at: place), literal, in: place.order)
    case .comparePlaces(let one, let comparison, let other):
      comparison.holds(try row.stored(at: one), try row.stored(at: other), in: one.order)
    case .isIn(let place, let literals): literals.contains(try row.stored(at: place))
    case .text(let place, let pattern):
      if case .text(let text) = try row.stored(at: place) { pattern.matches(text) } else { false }
    }
  }
}
