/// The meaning of a filter, by names of the schema: one tree for stores, memory and archive.
///
/// It has two truth values, and nil is a value: nil equals nil and nothing else, so that `notEqual`
/// is always the opposite of `equal`, and `isIn` means equal to one of them. Nil is neither less nor
/// greater than anything. `not` turns false into true. Texts compare by their UTF-8, whatever the
/// language.
///
/// Joining two conditions copies neither, and nothing that is done with one recurses over its depth.
package struct Condition: Sendable {
  let node: ConditionNode

  init(_ node: ConditionNode) { self.node = node }

  /// A condition that has no others in it.
  package enum Leaf: Hashable, Sendable {
    case constant(Bool)
    case compare(PropertyPath, Comparison, StoredValue)
    /// Between two properties of the same kind, of the row or of its to-one relations.
    case compareProperties(PropertyPath, Comparison, PropertyPath)
    case isIn(PropertyPath, [StoredValue])
    case text(PropertyPath, TextTest, TextLiteral, TextOptions)
    case count(ToManyPath, Comparison, Int)
    /// A condition that had more of something than it may have.
    case excess(RequestLimit)
  }

  /// One level of a condition.
  package enum Form: Sendable {
    case leaf(Leaf)
    /// Neither has an `and` in it, nor the other an `or`.
    case and([Condition])
    case or([Condition])
    case not(Condition)
    /// Whether at least one object of the to-many relation meets the condition.
    case any(ToManyPath, Condition)
    /// Whether each object of the to-many relation meets the condition; true if there are none.
    case all(ToManyPath, Condition)
  }

  /// The outermost level.
  package var form: Form {
    switch node.kind {
    case .leaf(let leaf): .leaf(leaf)
    case .and: .and(node.operands.map { Condition($0) })
    case .or: .or(node.operands.map { Condition($0) })
    case .not: .not(Condition(node.parts[0]))
    case .any(let path): .any(path, Condition(node.parts[0]))
    case .all(let path): .all(path, Condition(node.parts[0]))
    }
  }

  /// Whether the other is a part of this one itself, not a copy of it; for tests.
  package func refers(to other: Condition) -> Bool {
    node.parts.contains { $0 === other.node }
  }

  /// The number of levels of `and`, `or`, `not`, `any` and `all` around the innermost leaf; an
  /// `and` in an `and` is the same level.
  package var levels: Int { node.levels }
  /// The number of leaves.
  package var terms: Int { node.terms }
  /// The number of levels of `any` and `all` around the innermost leaf.
  package var closures: Int { node.closures }
}

extension Condition {
  private static func leaf(_ leaf: Leaf) -> Condition { Condition(ConditionNode(.leaf(leaf), [])) }

  package static func constant(_ value: Bool) -> Condition { leaf(.constant(value)) }

  package static func compare(
    _ path: PropertyPath, _ comparison: Comparison, _ value: StoredValue
  ) -> Condition { leaf(.compare(path, comparison, value)) }

  package static func compareProperties(
    _ path: PropertyPath, _ comparison: Comparison, _ other: PropertyPath
  ) -> Condition { leaf(.compareProperties(path, comparison, other)) }

  package static func isIn(_ path: PropertyPath, _ values: [StoredValue]) -> Condition {
    leaf(.isIn(path, values))
  }

  package static func text(
    _ path: PropertyPath, _ test: TextTest, _ text: String, _ options: TextOptions
  ) -> Condition { leaf(.text(path, test, TextLiteral(text: text), options)) }

  package static func count(
    _ path: ToManyPath, _ comparison: Comparison, _ count: Int
  ) -> Condition { leaf(.count(path, comparison, count)) }

  static func excess(_ limit: RequestLimit) -> Condition { leaf(.excess(limit)) }

  package static func any(_ path: ToManyPath, _ condition: Condition) -> Condition {
    Condition(ConditionNode(.any(path), [condition.node]))
  }

  package static func all(_ path: ToManyPath, _ condition: Condition) -> Condition {
    Condition(ConditionNode(.all(path), [condition.node]))
  }

  package static func and(_ terms: [Condition]) -> Condition {
    Condition(ConditionNode(.and, terms.map(\.node)))
  }

  package static func or(_ terms: [Condition]) -> Condition {
    Condition(ConditionNode(.or, terms.map(\.node)))
  }

  package static func not(_ condition: Condition) -> Condition {
    Condition(ConditionNode(.not, [condition.node]))
  }
}

extension Condition {
  /// Returns a comparison with a value; NaN is neither equal to anything, nor less, nor greater.
  static func comparing(
    _ path: PropertyPath, _ comparison: Comparison, _ value: StoredValue
  ) -> Condition {
    value.isNaN ? .constant(comparison == .notEqual) : .compare(path, comparison, value)
  }

  /// Returns the condition that a property has one of the values, of which NaN is none.
  static func including(_ path: PropertyPath, _ values: [StoredValue]) -> Condition {
    .isIn(path, values.filter { !$0.isNaN })
  }

  /// A condition about a column of an outer object, which a fetch refuses.
  static var misplaced: Condition {
    .compare(PropertyPath(name: "(a column of an outer object)"), .equal, .null)
  }
}

/// A text that equals another only if their UTF-8 does.
package struct TextLiteral: Hashable, Sendable {
  package let text: String

  package static func == (one: TextLiteral, other: TextLiteral) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(StoredValue.text(text)) }
}

package enum TextTest: String, Hashable, Sendable, Codable {
  case equals, contains, hasPrefix, hasSuffix
}

/// The differences of texts that a text test disregards.
public struct TextOptions: OptionSet, Hashable, Sendable, Codable {
  /// One bit for each.
  public let rawValue: Int

  /// The options whose bits are set; unknown bits have no meaning.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `a` is `A`.
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// `e` is `é`.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// A property, reached through to-one relations: `deck.owner.name`.
///
/// The name `id` means the object's own id; it is no name a schema can give.
package struct PropertyPath: Hashable, Sendable {
  package var relations: [String]
  package var name: String

  package init(relations: [String] = [], name: String) {
    self.relations = relations
    self.name = name
  }
}

/// A to-many property, reached through to-one relations.
package struct ToManyPath: Hashable, Sendable {
  package var relations: [String]
  package var name: String

  package init(relations: [String] = [], name: String) {
    self.relations = relations
    self.name = name
  }
}

/// One key of an order.
package struct OrderTerm: Hashable, Sendable, Codable {
  package var property: PropertyPath
  /// Nil comes first when ascending.
  package var isDescending: Bool

  package init(property: PropertyPath, isDescending: Bool) {
    self.property = property
    self.isDescending = isDescending
  }
}

/// The rows that a store is asked for.
///
/// They come in the order's order; ids break all ties, ascending.
package struct Query: Hashable, Sendable {
  /// The entity's place in the store's model.
  package var entity: Int
  package var condition: Condition?
  package var order: [OrderTerm]
  package var limit: Int?
  package var offset: Int

  package init(
    entity: Int, condition: Condition? = nil, order: [OrderTerm] = [], limit: Int? = nil,
    offset: Int = 0
  ) {
    self.entity = entity
    self.condition = condition
    self.order = order
    self.limit = limit
    self.offset = offset
  }
}

/// A figure over the rows of a query (limit and offset do not apply).
///
/// Nil properties do not count. Sums of integers are integers, and overflow is an error.
package enum Aggregate: Hashable, Sendable {
  case count
  case sum(PropertyPath), minimum(PropertyPath), maximum(PropertyPath), average(PropertyPath)

  /// The property it is about; nil for the count.
  package var path: PropertyPath? {
    switch self {
    case .count: nil
    case .sum(let path), .minimum(let path), .maximum(let path), .average(let path): path
    }
  }

  /// Whether it is computed from all values, not one of them.
  package var addsUp: Bool {
    switch self {
    case .sum, .average: true
    case .count, .minimum, .maximum: false
    }
  }
}
