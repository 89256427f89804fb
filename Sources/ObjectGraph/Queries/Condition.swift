/// The meaning of a filter, with names of the schema. Stores, memory and archives use the same
/// tree.
///
/// A condition is true or false, and nil is a value. Nil equals only nil, so `notEqual` is always
/// the opposite of `equal`, and `isIn` means equal to one of the values. Nil is neither less nor
/// greater than any value. `not` is the opposite of its part. Texts compare by their UTF-8,
/// whatever the language.
///
/// Joining two conditions copies neither. No operation on a condition recurses over its depth.
package struct Condition: Sendable {
  let node: ConditionNode

  init(_ node: ConditionNode) { self.node = node }

  /// A condition without parts.
  package enum Leaf: Hashable, Sendable {
    case constant(Bool)
    case compare(PropertyPath, Comparison, StoredValue)
    /// A comparison of two properties of the same kind, each of the row or of its to-one relations.
    case compareProperties(PropertyPath, Comparison, PropertyPath)
    case isIn(PropertyPath, [StoredValue])
    case text(PropertyPath, TextTest, TextLiteral, TextOptions)
    case count(ToManyPath, Comparison, Int)
    /// A condition in place of one that exceeded a limit.
    case excess(RequestLimit)
  }

  /// The outermost level of a condition.
  package enum Form: Sendable {
    case leaf(Leaf)
    /// No part of an `and` is an `and`, and no part of an `or` is an `or`.
    case and([Condition])
    case or([Condition])
    case not(Condition)
    /// Whether at least one object of the to-many relation meets the condition.
    case any(ToManyPath, Condition)
    /// Whether each object of the to-many relation meets the condition; true if there are none.
    case all(ToManyPath, Condition)
  }

  /// The outermost level. Nested parts with the same operator belong to it.
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

  /// Returns whether the other condition is a part of this one and not a copy of it, for tests.
  package func refers(to other: Condition) -> Bool {
    node.parts.contains { $0 === other.node }
  }

  /// The number of levels of `and`, `or`, `not`, `any` and `all` around the innermost leaf. An
  /// `and` in an `and` is no new level.
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
  /// Returns a comparison with a value. NaN is not equal to any value, and neither less nor
  /// greater.
  static func comparing(
    _ path: PropertyPath, _ comparison: Comparison, _ value: StoredValue
  ) -> Condition {
    value.isNaN ? .constant(comparison == .notEqual) : .compare(path, comparison, value)
  }

  /// Returns the condition that a property has one of the values. It ignores NaN.
  static func including(_ path: PropertyPath, _ values: [StoredValue]) -> Condition {
    .isIn(path, values.filter { !$0.isNaN })
  }

  /// A condition about a column of an outer object, which a fetch refuses.
  static var misplaced: Condition {
    .compare(PropertyPath(name: "(a column of an outer object)"), .equal, .null)
  }
}

/// A text that equals another only if their UTF-8 is equal.
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
  /// The bits of the options.
  public let rawValue: Int

  /// Creates options from bits. Unknown bits have no meaning.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// An option to disregard case: `a` equals `A`.
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// An option to disregard diacritics: `e` equals `é`.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// A property that is reached through to-one relations, such as `deck.owner.name`.
///
/// The name `id` means the object's own id. No schema can give that name to a property.
package struct PropertyPath: Hashable, Sendable {
  package var relations: [String]
  package var name: String

  package init(relations: [String] = [], name: String) {
    self.relations = relations
    self.name = name
  }
}

/// A to-many property that is reached through to-one relations.
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
  /// Whether the order is descending. Nil comes first in ascending order.
  package var isDescending: Bool

  package init(property: PropertyPath, isDescending: Bool) {
    self.property = property
    self.isDescending = isDescending
  }
}

/// The rows that a store is asked for.
///
/// They are sorted by the order. Ids decide between equal rows, ascending.
package struct Query: Hashable, Sendable {
  /// The index of the entity in the store's model.
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

/// A figure over all rows that meet a query's condition. Its limit and offset are ignored.
///
/// Nil is ignored. A sum of integers is an integer, and an overflow is an error.
package enum Aggregate: Hashable, Sendable {
  case count
  case sum(PropertyPath), minimum(PropertyPath), maximum(PropertyPath), average(PropertyPath)

  /// The property of the figure; nil for the count.
  package var path: PropertyPath? {
    switch self {
    case .count: nil
    case .sum(let path), .minimum(let path), .maximum(let path), .average(let path): path
    }
  }

  /// Whether the figure is computed from all values and not one of them.
  package var addsUp: Bool {
    switch self {
    case .sum, .average: true
    case .count, .minimum, .maximum: false
    }
  }
}
