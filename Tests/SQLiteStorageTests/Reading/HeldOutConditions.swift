import LineageTestSupport
import ObjectGraph

/// A generator of queries that are made of names and stored values, not by the public functions.
struct HeldOutConditions {
  var random: SplitMix64
  let oracle: HeldOutOracle

  init(seed: UInt64, _ oracle: HeldOutOracle) {
    random = SplitMix64(seed: seed)
    self.oracle = oracle
  }

  private static let reals: [Double] = [
    0, -0.0, 2.5, -2.5, 0.5, -0.5, 1, 0x1p53, 0x1p53 + 2, 0x1p53 - 1, -0x1p53, -0x1p53 - 2, 0x1p63,
    0x1p63.nextDown, 0x1p63.nextUp, -0x1p63, (-0x1p63).nextUp, (-0x1p63).nextDown, 0x1p64, 1e300,
    -1e300, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1, 127.5,
    255.0, 3.402823466e38,
  ]
  private static let integers: [Int64] = [
    0, 1, -1, 2, 3, 255, 256, 1 << 53, (1 << 53) + 1, (1 << 53) - 1, -(1 << 53) - 1, .max, .min,
    .max - 1, .min + 1,
  ]
  private static let decimals = ["0", "0.5", "-0.5", "1", "10", "9", "1.05", "-1.5", "100", "1.5"]

  // MARK: Paths

  mutating func relations(from entity: Int) -> (relations: [String], end: Int) {
    var relations: [String] = []
    var end = entity
    for _ in 0..<random.pick([0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4]) {
      let name = end == 1 ? "leader" : random.chance(50) ? "friend" : "group"
      relations.append(name)
      end = name == "group" ? 1 : 0
    }
    return (relations, end)
  }

  private mutating func property(
    from entity: Int, where isWanted: (Column?) -> Bool = { _ in true }
  ) -> PropertyPath {
    while true {
      let (relations, end) = relations(from: entity)
      let columns = oracle.model.layouts[end].columns
      if random.chance(6), isWanted(nil) { return PropertyPath(relations: relations, name: "id") }
      let wanted = columns.filter(isWanted)
      if !wanted.isEmpty {
        return PropertyPath(relations: relations, name: random.pick(wanted).name)
      }
    }
  }

  private mutating func manyPath(from entity: Int) -> ToManyPath {
    let (relations, end) = relations(from: entity)
    return ToManyPath(relations: relations, name: end == 1 ? "members" : "friends")
  }

  private func place(_ path: PropertyPath, _ entity: Int) throws -> ResolvedPath {
    try oracle.model.place(path, from: entity)
  }

  // MARK: Literals

  private mutating func literal(_ path: PropertyPath, _ entity: Int) throws -> StoredValue {
    if random.chance(12) { return .null }
    let ids = oracle.rows[entity].keys.sorted()
    if random.chance(60), !ids.isEmpty {
      return oracle.value(path, entity, random.pick(ids))
    }
    switch try place(path, entity).order {
    case .numbers:
      return random.chance(50)
        ? .real(random.pick(Self.reals)) : .integer(random.pick(Self.integers))
    case .decimals: return .text(random.pick(Self.decimals))
    case .texts: return .text(text())
    case .bytes: return .blob((0..<random.below(4)).map { _ in random.pick([0, 1, 2, 97, 255]) })
    case .none: return .null
    }
  }

  private mutating func text() -> String {
    let pieces = [
      "a", "A", "", "é", "e\u{301}", "ß", "SS", "%", "_", "\0", "İ", "😀", "'", "Σ", "b",
    ]
    return (0..<random.below(3)).map { _ in random.pick(pieces) }.joined()
  }

  private mutating func comparison() -> Comparison {
    random.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
  }

  // MARK: Conditions

  mutating func condition(depth: Int, of entity: Int = 0) throws -> Condition {
    guard depth > 0 else { return try leaf(of: entity) }
    switch random.below(12) {
    case 0, 1:
      return .and(
        try (0..<2 + random.below(3)).map { _ in try condition(depth: depth - 1, of: entity) })
    case 2, 3, 4:
      return .or(
        try (0..<2 + random.below(3)).map { _ in try condition(depth: depth - 1, of: entity) })
    case 5, 6: return .not(try condition(depth: depth - 1, of: entity))
    case 7, 8: return .any(manyPath(from: entity), try condition(depth: depth - 1))
    case 9, 10: return .all(manyPath(from: entity), try condition(depth: depth - 1))
    default: return try leaf(of: entity)
    }
  }

  mutating func leaf(of entity: Int) throws -> Condition {
    switch random.below(14) {
    case 0...4:
      let path = property(from: entity)
      let isJSON = try place(path, entity).order == .none
      if isJSON { return .compare(path, random.chance(50) ? .equal : .notEqual, .null) }
      return .compare(path, comparison(), try literal(path, entity))
    case 5, 6:
      let path = property(from: entity) { $0.map { !$0.isJSON } ?? true }
      let order = try place(path, entity).order
      let other = property(from: entity) { ($0?.kept.order ?? .numbers) == order }
      return .compareProperties(path, comparison(), other)
    case 7, 8:
      let path = property(from: entity) { $0.map { !$0.isJSON } ?? true }
      let count = random.pick([0, 1, 2, 3, 5, oracle.rows[0].count < 300 ? 700 : 20])
      return .isIn(path, try (0..<count).map { _ in try literal(path, entity) })
    case 9, 10:
      let path = property(from: entity) { $0?.kept.order == .texts }
      var text = text()
      if random.chance(60), case .text(let stored) = try literal(path, entity) {
        let scalars = Array(stored.unicodeScalars)
        let start = random.below(scalars.count + 1)
        let end = start + random.below(scalars.count - start + 1)
        text = String(String.UnicodeScalarView(scalars[start..<end]))
      }
      return .text(
        path, random.pick([.equals, .contains, .hasPrefix, .hasSuffix]), text,
        TextOptions(rawValue: random.below(4)))
    case 11, 12:
      return .count(
        manyPath(from: entity), comparison(),
        random.pick([-1, 0, 0, 1, 1, 2, 3, 5, 40, .max, .min]))
    default: return .constant(random.chance(50))
    }
  }

  // MARK: Queries

  mutating func order(of entity: Int) -> [OrderTerm] {
    (0..<random.pick([0, 0, 1, 1, 2, 3, 4])).map { _ in
      let isOfText = random.chance(30)
      return OrderTerm(
        property: property(from: entity) {
          isOfText ? $0?.kept == .string : $0.map { !$0.isJSON } ?? true
        },
        isDescending: random.chance(50), textOrder: isOfText ? random.textOrder() : nil)
    }
  }

  mutating func query() throws -> Query {
    let entity = random.chance(80) ? 0 : 1
    let count = oracle.rows[entity].count
    let limits: [Int?] = [nil, nil, nil, 0, 1, 2, 7, count, count + 1, .max, 499, 500, 501]
    let offsets = [0, 0, 0, 0, 1, 3, 499, 500, 501, count - 1, count, count + 1, 1 << 48]
    return Query(
      entity: entity,
      condition: random.chance(10) ? nil : try condition(depth: random.below(4), of: entity),
      order: order(of: entity), limit: random.pick(limits), offset: random.pick(offsets))
  }

  mutating func aggregate(of entity: Int) -> Aggregate {
    let kind = random.below(5)
    if kind == 0 { return .count }
    if kind <= 2 {
      let path = property(from: entity) { $0.map { !$0.isJSON } ?? true }
      return kind == 1 ? .minimum(path) : .maximum(path)
    }
    let path = property(from: entity) { $0.map { $0.kept.isNumeric } ?? false }
    return kind == 3 ? .sum(path) : .average(path)
  }
}
