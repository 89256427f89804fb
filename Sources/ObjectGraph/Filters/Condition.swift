/// What a filter says, by names of the schema: one tree for SQL, memory and archive.
///
/// It has two truth values, and nil is a value: nil equals nil and nothing else, so that `notEqual`
/// is always the opposite of `equal`, and `isIn` means equal to one of them. Nil is neither less nor
/// greater than anything. `not` turns false into true. Texts compare by their UTF-8, whatever the
/// language.
package indirect enum Condition: Sendable {
  case constant(Bool)
  case compare(PropertyPath, Comparison, Stored)
  /// Between two properties of the same kind, of the row or of its to-one relations.
  case compareProperties(PropertyPath, Comparison, PropertyPath)
  case isIn(PropertyPath, [Stored])
  case text(PropertyPath, TextTest, String, TextOptions)
  /// Whether at least one object of the to-many relation meets the condition.
  case any(ToManyPath, Condition)
  /// Whether each object of the to-many relation meets the condition; true if there are none.
  case all(ToManyPath, Condition)
  case count(ToManyPath, Comparison, Int)
  case and([Condition])
  case or([Condition])
  case not(Condition)
}

package enum Comparison: String, Hashable, Sendable, Codable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

package enum TextTest: String, Hashable, Sendable, Codable {
  case equals, contains, hasPrefix, hasSuffix
}

/// What a text test disregards.
public struct TextOptions: OptionSet, Hashable, Sendable, Codable {
  /// One bit for each.
  public let rawValue: Int

  /// What the bits say; unknown ones say nothing.
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
  /// Nil comes first when ascending, as in SQLite.
  package var isDescending: Bool

  package init(property: PropertyPath, isDescending: Bool) {
    self.property = property
    self.isDescending = isDescending
  }
}

/// What a store is asked for. Rows come in the order's order; ids break all ties, ascending.
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
