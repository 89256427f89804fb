/// The condition of a filter, as a tree with names of the schema. Stores, matchers and archives use
/// the same tree.
///
/// A condition is either true or false, even if a value is nil. Nil equals only nil, so `notEqual`
/// is always the opposite of `equal`, and `isIn` means equal to one of the values. Nil is neither
/// less nor greater than any value. `not` is the opposite of its part. Texts are compared by their
/// UTF-8 in all languages.
///
/// Joining two conditions copies neither of them. No operation on a condition recurses over its
/// depth.
package struct Condition: Sendable {
  let node: ConditionNode

  init(_ node: ConditionNode) { self.node = node }

  /// A condition without parts: a constant or a single test.
  package enum Leaf: Hashable, Sendable {
    case constant(Bool)
    case compare(PropertyPath, Comparison, StoredValue)
    /// A comparison of two properties whose values have the same ``ColumnOrder``. Each property
    /// belongs to the row itself, or to an object at the end of to-one relations of the row.
    case compareProperties(PropertyPath, Comparison, PropertyPath)
    case isIn(PropertyPath, [StoredValue])
    case text(PropertyPath, TextTest, TextLiteral, TextOptions)
    case count(ToManyPath, Comparison, Int)
    /// A replacement for a condition that exceeded a limit. A fetch with the replacement throws.
    case excess(RequestLimit)
  }

  /// A condition's outermost operator with its parts, or a leaf.
  package enum Form: Sendable {
    case leaf(Leaf)
    /// The condition that all parts are true. An `and` has no `and` as a part, and an `or` has no
    /// `or` as a part.
    case and([Condition])
    case or([Condition])
    case not(Condition)
    /// The condition that at least one object of the to-many relation matches the given condition.
    case any(ToManyPath, Condition)
    /// The condition that each object of the to-many relation matches the given condition. It is
    /// true if there are no objects.
    case all(ToManyPath, Condition)
  }

  /// The outermost operator with its parts. If a part of an `and` is also an `and`, its own parts
  /// replace it. The parts of an `or` are replaced in the same way.
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

  /// Returns whether the other condition itself, not a copy, is a part of this condition. Tests
  /// call this function.
  package func refers(to other: Condition) -> Bool {
    node.parts.contains { $0 === other.node }
  }

  /// The greatest number of nested `and`, `or`, `not`, `any` and `all`. An `and` inside an `and`
  /// counts as one level, and an `or` inside an `or` too.
  package var levels: Int { node.levels }
  /// The number of leaves, which are the conditions without parts.
  package var terms: Int { node.terms }
  /// The greatest number of nested `any` and `all`.
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
  /// Returns a comparison with a value. NaN equals no value, and is neither less nor greater than
  /// any value.
  static func comparing(
    _ path: PropertyPath, _ comparison: Comparison, _ value: StoredValue
  ) -> Condition {
    value.isNaN ? .constant(comparison == .notEqual) : .compare(path, comparison, value)
  }

  /// Returns the condition that a property has one of the values. NaN among the values is ignored.
  static func including(_ path: PropertyPath, _ values: [StoredValue]) -> Condition {
    .isIn(path, values.filter { !$0.isNaN })
  }

  /// A condition that every fetch refuses. It replaces a condition that uses a column of an outer
  /// object.
  static var misplaced: Condition {
    .compare(PropertyPath(name: "(a column of an outer object)"), .equal, .null)
  }
}

/// A text that is compared with other texts by its UTF-8.
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

/// The differences between texts that a filter ignores.
public struct TextOptions: OptionSet, Hashable, Sendable, Codable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits. Unknown bits are ignored.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// An option to ignore case: `a` equals `A`.
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// An option to ignore diacritics: `e` equals `é`.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// The path of a property, through to-one relations: `deck.owner.name`.
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

/// The path of a to-many property, through to-one relations.
package struct ToManyPath: Hashable, Sendable {
  package var relations: [String]
  package var name: String

  package init(relations: [String] = [], name: String) {
    self.relations = relations
    self.name = name
  }
}

/// One key of an order, with its direction.
///
/// Archives contain the encoded form, in which a term without a text order has no `textOrder`.
package struct OrderTerm: Hashable, Sendable, Codable {
  package var property: PropertyPath
  /// Whether the order is descending. Nil comes first in ascending order and last in descending
  /// order.
  package var isDescending: Bool
  /// The order of the property's texts; nil for the order in which a store compares the property's
  /// values.
  package var textOrder: TextOrder?

  package init(property: PropertyPath, isDescending: Bool, textOrder: TextOrder? = nil) {
    self.property = property
    self.isDescending = isDescending
    self.textOrder = textOrder
  }
}

/// A question to a store: which rows to return, and in which order.
///
/// The rows are sorted by the order. Rows that are equal in it are sorted by ascending id.
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

  /// Creates a query for the rows of an entity that have one of the ids in a property.
  package init(entity: Int, _ property: String, isIn ids: some Sequence<Int64>) {
    let condition = Condition.isIn(PropertyPath(name: property), ids.map(StoredValue.integer))
    self.init(entity: entity, condition: condition)
  }
}

/// A figure, such as a count or a sum, over all rows that match a query's condition. The query's
/// limit and offset are ignored.
///
/// Nil values are ignored. A sum of integers is an integer; if it overflows, an error is thrown.
package enum Aggregate: Hashable, Sendable {
  case count
  case sum(PropertyPath), minimum(PropertyPath), maximum(PropertyPath), average(PropertyPath)

  /// The property whose values are summed, averaged or compared; nil for a count.
  package var path: PropertyPath? {
    switch self {
    case .count: nil
    case .sum(let path), .minimum(let path), .maximum(let path), .average(let path): path
    }
  }

  /// Whether the figure is computed from all values, like a sum. It is false for a count and for a
  /// figure that is one of the values, like a minimum.
  package var addsUp: Bool {
    switch self {
    case .sum, .average: true
    case .count, .minimum, .maximum: false
    }
  }
}
