import LineageTestSupport
import ObjectGraph
import Synchronization

/// The rows of a world as stored values, and slow answers to queries over them.
///
/// It is written from the documentation alone and shares no code with the stores, except the folding
/// of texts.
struct HeldOutOracle {
  typealias Values = [String: StoredValue]

  /// The values of all rows, by the index of their entity and then by id.
  private(set) var rows: [[Int64: Values]] = [[:], [:]]
  private var referrers: [String: [Int64: [Int64]]] = [:]
  let model: Model

  init(_ world: World, _ model: Model) throws {
    self.model = model
    for row in world.samples { rows[0][row.id.key] = try Self.values(row.value) }
    for row in world.groups { rows[1][row.id.key] = try Self.values(row.value) }
    for (id, values) in rows[0] {
      for name in ["friend", "group"] {
        guard case .integer(let key)? = values[name] else { continue }
        referrers[name, default: [:]][key, default: []].append(id)
      }
    }
  }

  private static func values<Value: Entity>(_ value: Value) throws -> Values {
    var value = value
    return try StructMemory.lend(&value) { memory in
      var values: Values = [:]
      for column in Value.layout.columns { values[column.name] = try column.stored(of: memory) }
      return values
    }
  }

  // MARK: Rows

  /// Returns the entity and the id at the end of relations; nil if one of them is nil.
  func end(_ relations: [String], _ entity: Int, _ id: Int64) -> (entity: Int, id: Int64)? {
    var place = (entity: entity, id: id)
    for relation in relations {
      guard case .integer(let key)? = rows[place.entity][place.id]?[relation] else { return nil }
      place = (relation == "group" ? 1 : 0, key)
    }
    return place
  }

  func value(_ path: PropertyPath, _ entity: Int, _ id: Int64) -> StoredValue {
    guard let place = end(path.relations, entity, id) else { return .null }
    return path.name == "id"
      ? .integer(place.id) : rows[place.entity][place.id]?[path.name] ?? .null
  }

  /// Returns the objects of a to-many property.
  private func members(_ path: ToManyPath, _ entity: Int, _ id: Int64) -> [Int64] {
    guard let owner = end(path.relations, entity, id) else { return [] }
    return referrers[path.name == "members" ? "group" : "friend"]?[owner.id] ?? []
  }

  // MARK: Values

  /// Compares two values; nil if they have no order, because one of them is null or NaN.
  static func compare(_ one: StoredValue, _ other: StoredValue, _ order: ColumnOrder) -> Int? {
    switch (one, other) {
    case (.integer(let one), .integer(let other)): one < other ? -1 : one == other ? 0 : 1
    case (.real(let one), .real(let other)):
      one.isNaN || other.isNaN ? nil : one < other ? -1 : one == other ? 0 : 1
    case (.integer(let one), .real(let other)): compare(one, other)
    case (.real(let one), .integer(let other)): compare(other, one).map { -$0 }
    case (.text(let one), .text(let other)):
      order == .decimals
        ? DecimalCache.shared.compare(one, other) : compare(Array(one.utf8), Array(other.utf8))
    case (.blob(let one), .blob(let other)): compare(one, other)
    default: nil
    }
  }

  private static func compare(_ one: [UInt8], _ other: [UInt8]) -> Int {
    one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
  }

  private static func compare(_ one: Int64, _ other: Double) -> Int? {
    if other.isNaN { return 1 }
    if other >= 1e30 { return -1 }
    if other <= -1e30 { return 1 }
    let floor = other.rounded(.down)
    let whole = Int128(floor)
    if Int128(one) != whole { return Int128(one) < whole ? -1 : 1 }
    return floor < other ? -1 : 0
  }

  private static func holds(
    _ one: StoredValue, _ comparison: Comparison, _ other: StoredValue, _ order: ColumnOrder
  ) -> Bool {
    let place = compare(one, other, order)
    let isSame = place == 0 || (one.isNull && other.isNull)
    return switch comparison {
    case .equal: isSame
    case .notEqual: !isSame
    case .less: place.map { $0 < 0 } ?? false
    case .lessOrEqual: place.map { $0 <= 0 } ?? false
    case .greater: place.map { $0 > 0 } ?? false
    case .greaterOrEqual: place.map { $0 >= 0 } ?? false
    }
  }

  private static func holds(
    _ value: String, _ test: TextTest, _ text: String, _ options: TextOptions
  ) -> Bool {
    let (value, text) = (
      Array(Folding.fold(value, options: options).utf8),
      Array(Folding.fold(text, options: options).utf8)
    )
    guard text.count <= value.count else { return false }
    return switch test {
    case .equals: value == text
    case .hasPrefix: Array(value.prefix(text.count)) == text
    case .hasSuffix: Array(value.suffix(text.count)) == text
    case .contains:
      (0...value.count - text.count).contains { Array(value[$0..<$0 + text.count]) == text }
    }
  }

  // MARK: Answers

  func holds(_ condition: Condition, _ entity: Int, _ id: Int64) -> Bool {
    switch condition.form {
    case .and(let parts): parts.allSatisfy { holds($0, entity, id) }
    case .or(let parts): parts.contains { holds($0, entity, id) }
    case .not(let part): !holds(part, entity, id)
    case .any(let path, let part): members(path, entity, id).contains { holds(part, 0, $0) }
    case .all(let path, let part): members(path, entity, id).allSatisfy { holds(part, 0, $0) }
    case .leaf(let leaf): holds(leaf, entity, id)
    }
  }

  private func holds(_ leaf: Condition.Leaf, _ entity: Int, _ id: Int64) -> Bool {
    func order(_ path: PropertyPath) -> ColumnOrder {
      (try? model.place(path, from: entity).order) ?? .none
    }
    switch leaf {
    case .constant(let value): return value
    case .compare(let path, let comparison, let literal):
      return Self.holds(value(path, entity, id), comparison, literal, order(path))
    case .compareProperties(let path, let comparison, let other):
      return Self.holds(
        value(path, entity, id), comparison, value(other, entity, id), order(path))
    case .isIn(let path, let literals):
      let value = value(path, entity, id)
      return literals.contains { Self.holds(value, .equal, $0, order(path)) }
    case .text(let path, let test, let literal, let options):
      guard case .text(let text) = value(path, entity, id) else { return false }
      return Self.holds(text, test, literal.text, options)
    case .count(let path, let comparison, let count):
      let members = Int64(members(path, entity, id).count)
      return Self.holds(.integer(members), comparison, .integer(Int64(count)), .numbers)
    case .excess: return false
    }
  }

  /// Returns the ids of the rows that match, by ascending id.
  func matches(_ query: Query) -> [Int64] {
    rows[query.entity].keys.sorted().filter { id in
      query.condition.map { holds($0, query.entity, id) } ?? true
    }
  }

  private static func text(_ value: StoredValue) -> String? {
    if case .text(let text) = value { text } else { nil }
  }

  /// Returns the ids that a store must find.
  func ids(_ query: Query) throws -> [Int64] {
    let orders = try query.order.map { try model.place($0.property, from: query.entity).order }
    var rows = matches(query).map { id in
      (id: id, keys: query.order.map { value($0.property, query.entity, id) })
    }
    func precedes(
      _ one: (id: Int64, keys: [StoredValue]), _ other: (id: Int64, keys: [StoredValue])
    ) -> Bool {
      for (index, term) in query.order.enumerated() {
        let (key, second) = (one.keys[index], other.keys[index])
        if key.isNull, second.isNull { continue }
        let place =
          if let order = term.textOrder {
            TextOracle.order(Self.text(key), Self.text(second), in: order)
          } else {
            key.isNull ? -1 : second.isNull ? 1 : Self.compare(key, second, orders[index]) ?? 0
          }
        if place != 0 { return term.isDescending ? place > 0 : place < 0 }
      }
      return one.id < other.id
    }
    if !query.order.isEmpty { rows.sort(by: precedes) }
    return Array(rows.dropFirst(max(query.offset, 0)).prefix(max(query.limit ?? .max, 0))).map(\.id)
  }
}

/// The orders of decimals that were compared before.
final class DecimalCache: Sendable {
  static let shared = DecimalCache()
  private let known = Mutex<[String: [String: Int]]>([:])

  func compare(_ one: String, _ other: String) -> Int {
    if let order = known.withLock({ $0[one]?[other] }) { return order }
    let (first, second) = (Digits(one), Digits(other))
    let order = first < second ? -1 : first == second ? 0 : 1
    known.withLock { $0[one, default: [:]][other] = order }
    return order
  }
}
