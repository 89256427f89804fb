/// The order in which objects are fetched: by one key, among equals by the next, at last by id.
///
/// ```swift
/// try context.fetch(Card.self, sort: {
///   $0.rightCount.descending
///   $0.question
/// })
/// ```
///
/// Nil comes first, texts are ordered by their UTF-8; `descending` turns both around.
public struct Ordering<Root: Entity>: Hashable, Sendable {
  package let terms: [OrderTerm]

  package init(terms: [OrderTerm]) { self.terms = terms }

  /// By id alone.
  public init() { terms = [] }

  /// The keys that the closure lists.
  public init(@OrderingBuilder<Root> _ keys: (Columns<Root>) -> Ordering<Root>) {
    self = keys(Columns())
  }
}

extension Ordering {
  /// The limit that the order exceeds.
  var exceeded: RequestLimit? {
    if terms.count > RequestLimit.orderTerms.most { return .orderTerms }
    return terms.contains { $0.property.relations.count > RequestLimit.relations.most }
      ? .relations : nil
  }
}

/// One key of an order, with its direction.
public struct OrderKey<Root: Entity>: Hashable, Sendable {
  let term: OrderTerm

  init(_ path: PropertyPath, isDescending: Bool) {
    term = OrderTerm(property: path, isDescending: isDescending)
  }
}

extension AttributeColumn {
  /// The least first, nil before all others; what the column means by itself.
  public var ascending: OrderKey<Root> { OrderKey(path, isDescending: false) }

  /// The greatest first, nil after all others.
  public var descending: OrderKey<Root> { OrderKey(path, isDescending: true) }
}

extension IDColumn {
  /// The oldest first; what the column means by itself.
  public var ascending: OrderKey<Root> { OrderKey(path, isDescending: false) }

  /// The youngest first.
  public var descending: OrderKey<Root> { OrderKey(path, isDescending: true) }
}

/// Collects the keys of an order.
@resultBuilder
public enum OrderingBuilder<Root: Entity> {
  /// An attribute, ascending.
  public static func buildExpression<Value>(
    _ column: AttributeColumn<Root, Value>
  ) -> Ordering<Root> {
    Ordering(terms: [column.ascending.term])
  }
  /// The id, ascending.
  public static func buildExpression<Target>(_ column: IDColumn<Root, Target>) -> Ordering<Root> {
    Ordering(terms: [column.ascending.term])
  }
  /// A key with its direction.
  public static func buildExpression(_ key: OrderKey<Root>) -> Ordering<Root> {
    Ordering(terms: [key.term])
  }
  /// Another order's keys.
  public static func buildExpression(_ order: Ordering<Root>) -> Ordering<Root> { order }
  /// One after the other.
  public static func buildBlock(_ parts: Ordering<Root>...) -> Ordering<Root> {
    Ordering(terms: parts.flatMap(\.terms))
  }
  /// Keys that count only if a condition holds.
  public static func buildOptional(_ part: Ordering<Root>?) -> Ordering<Root> {
    part ?? Ordering()
  }
  /// One of two orders.
  public static func buildEither(first part: Ordering<Root>) -> Ordering<Root> { part }
  /// The other of two orders.
  public static func buildEither(second part: Ordering<Root>) -> Ordering<Root> { part }
}
