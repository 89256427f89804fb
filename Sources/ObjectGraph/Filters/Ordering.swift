/// The order in which objects are fetched. Objects are ordered by the first key. Objects with equal
/// keys are ordered by the next key, and finally by id.
///
/// ```swift
/// try context.fetch(Card.self, sort: {
///   $0.rightCount.descending
///   $0.question
/// })
/// ```
///
/// Nil comes first, and texts are ordered by their UTF-8. `descending` reverses this order. For
/// names that people read, use `folded` or `natural`, as in `$0.name.folded`.
public struct Ordering<Root: Entity>: Hashable, Sendable {
  package let terms: [OrderTerm]

  package init(terms: [OrderTerm]) { self.terms = terms }

  /// Creates the order by id alone.
  public init() { terms = [] }

  /// Creates an order from the keys that a closure lists.
  public init(@OrderingBuilder<Root> _ keys: (Columns<Root>) -> Ordering<Root>) {
    self = keys(Columns())
  }
}

extension Ordering {
  /// The limit that the order exceeds; nil if it is within all limits.
  var exceeded: RequestLimit? {
    if terms.count > RequestLimit.orderTerms.most { return .orderTerms }
    return terms.contains { $0.property.relations.count > RequestLimit.relations.most }
      ? .relations : nil
  }
}

/// One key of an order, with its direction: a column, ascending or descending. A text may be
/// ordered in another way than by its UTF-8, as in `$0.name.folded`.
public struct OrderKey<Root: Entity>: Hashable, Sendable {
  let term: OrderTerm

  init(_ path: PropertyPath, isDescending: Bool = false, _ textOrder: TextOrder? = nil) {
    term = OrderTerm(property: path, isDescending: isDescending, textOrder: textOrder)
  }

  /// This key in descending order, with nil last.
  ///
  /// ```swift
  /// sort: { $0.name.folded.descending }
  /// ```
  public var descending: OrderKey<Root> {
    OrderKey(term.property, isDescending: true, term.textOrder)
  }
}

extension AttributeColumn {
  /// A key for ascending order, with nil first. An attribute that an order lists without a
  /// direction is ascending too.
  public var ascending: OrderKey<Root> { OrderKey(path, isDescending: false) }

  /// A key for descending order, with nil last.
  public var descending: OrderKey<Root> { OrderKey(path, isDescending: true) }
}

extension IDColumn {
  /// A key for the order of ids, with the oldest object first. An id that an order lists without a
  /// direction is ascending too.
  public var ascending: OrderKey<Root> { OrderKey(path, isDescending: false) }

  /// A key for the reverse order of ids, with the youngest object first.
  public var descending: OrderKey<Root> { OrderKey(path, isDescending: true) }
}

/// A result builder that collects the keys of an order.
@resultBuilder
public enum OrderingBuilder<Root: Entity> {
  /// Returns the order by an attribute, ascending.
  public static func buildExpression<Value>(
    _ column: AttributeColumn<Root, Value>
  ) -> Ordering<Root> {
    Ordering(terms: [column.ascending.term])
  }
  /// Returns the order by id, ascending.
  public static func buildExpression<Target>(_ column: IDColumn<Root, Target>) -> Ordering<Root> {
    Ordering(terms: [column.ascending.term])
  }
  /// Returns the order by a key with a direction.
  public static func buildExpression(_ key: OrderKey<Root>) -> Ordering<Root> {
    Ordering(terms: [key.term])
  }
  /// Returns the keys of another order.
  public static func buildExpression(_ order: Ordering<Root>) -> Ordering<Root> { order }
  /// Returns the keys of all parts, one part after the other.
  public static func buildBlock(_ parts: Ordering<Root>...) -> Ordering<Root> {
    Ordering(terms: parts.flatMap(\.terms))
  }
  /// Returns the keys of an `if` without `else`, or no keys if the condition is false.
  public static func buildOptional(_ part: Ordering<Root>?) -> Ordering<Root> {
    part ?? Ordering()
  }
  /// Returns the keys of the first branch of an `if` or `switch`.
  public static func buildEither(first part: Ordering<Root>) -> Ordering<Root> { part }
  /// Returns the keys of another branch of an `if` or `switch`.
  public static func buildEither(second part: Ordering<Root>) -> Ordering<Root> { part }
}
