package import ObjectGraph

/// A filter, and a closure in plain Swift that must give the same answers.
package struct FilterCase<Root: Entity> {
  package let filter: Filter<Root>
  package let holds: (World, World.Row<Root>) -> Bool
}

/// An order, and a closure in plain Swift that must compare rows in the same way.
package struct OrderCase<Root: Entity> {
  package let order: Ordering<Root>
  /// A closure that compares two rows. Its result is negative if the first row comes before the
  /// second, positive if it comes after, and zero if they tie.
  package let compare: (World, World.Row<Root>, World.Row<Root>) -> Int
}

/// An attribute that random filters and orders compare. Its closures do the same comparisons in
/// plain Swift.
struct Probe<Root: Entity, Literal: AttributeValue, Value> {
  let column: (Columns<Root>) -> AttributeColumn<Root, Literal>
  /// A closure that returns the value of the attribute for a row. The result is also nil if a
  /// relation on the path to the value is nil.
  let value: (World, World.Row<Root>) -> Value?
  let literals: [Literal]
  let unwrap: (Literal) -> Value?
  let equal: (Value, Value) -> Bool
  let less: (Value, Value) -> Bool

  private func isEqual(_ one: Value?, _ other: Value?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return equal(one, other)
  }

  private func isLess(_ one: Value?, _ other: Value?) -> Bool {
    guard let one, let other else { return false }
    return less(one, other)
  }

  /// Draws a filter that compares the attribute with literals of the pool, by a random operator.
  func filter(_ random: inout SplitMix64) -> FilterCase<Root> {
    let literal = random.pick(literals)
    let other = unwrap(literal)
    func make(
      _ filter: (AttributeColumn<Root, Literal>) -> Filter<Root>,
      _ holds: @escaping (Value?) -> Bool
    ) -> FilterCase<Root> {
      FilterCase(filter: Filter { filter(column($0)) }) { holds(value($0, $1)) }
    }
    switch random.below(7) {
    case 0: return make({ $0 == literal }, { isEqual($0, other) })
    case 1: return make({ $0 != literal }, { !isEqual($0, other) })
    case 2: return make({ $0 < literal }, { isLess($0, other) })
    case 3: return make({ $0 <= literal }, { isLess($0, other) || bothEqual($0, other) })
    case 4: return make({ $0 > literal }, { isLess(other, $0) })
    case 5: return make({ $0 >= literal }, { isLess(other, $0) || bothEqual($0, other) })
    default:
      let list = (0..<random.below(4)).map { _ in random.pick(literals) }
      return make(
        { $0.isIn(list) }, { value in list.contains { isEqual(value, unwrap($0)) } })
    }
  }

  private func bothEqual(_ one: Value?, _ other: Value?) -> Bool {
    one != nil && isEqual(one, other)
  }

  /// Draws a filter that compares the attribute with another attribute of its type.
  func comparison(with other: Self, _ random: inout SplitMix64) -> FilterCase<Root> {
    func make(
      _ filter: (AttributeColumn<Root, Literal>, AttributeColumn<Root, Literal>) -> Filter<Root>,
      _ holds: @escaping (Value?, Value?) -> Bool
    ) -> FilterCase<Root> {
      FilterCase(filter: Filter { filter(column($0), other.column($0)) }) {
        holds(value($0, $1), other.value($0, $1))
      }
    }
    switch random.below(6) {
    case 0: return make({ $0 == $1 }, { isEqual($0, $1) })
    case 1: return make({ $0 != $1 }, { !isEqual($0, $1) })
    case 2: return make({ $0 < $1 }, { isLess($0, $1) })
    case 3: return make({ $0 <= $1 }, { isLess($0, $1) || bothEqual($0, $1) })
    case 4: return make({ $0 > $1 }, { isLess($1, $0) })
    default: return make({ $0 >= $1 }, { isLess($1, $0) || bothEqual($0, $1) })
    }
  }

  /// Draws an order by the attribute, ascending or descending.
  func order(_ random: inout SplitMix64) -> OrderCase<Root> {
    let isDescending = random.chance(50)
    let order = Ordering<Root> {
      if isDescending { column($0).descending } else { column($0) }
    }
    return OrderCase(order: order) { world, one, other in
      let (one, other) = (value(world, one), value(world, other))
      let ascending =
        isEqual(one, other) ? 0 : one == nil || isLess(one, other) ? -1 : 1
      return isDescending ? -ascending : ascending
    }
  }
}

extension Probe where Value: Equatable & Comparable, Literal == Value {
  init(
    _ column: @escaping (Columns<Root>) -> AttributeColumn<Root, Literal>, _ literals: [Value],
    _ value: @escaping (World, World.Row<Root>) -> Value?
  ) {
    self.init(
      column: column, value: value, literals: literals, unwrap: { $0 }, equal: ==, less: <)
  }
}

extension Probe where Value: Equatable & Comparable, Literal == Value? {
  init(
    _ column: @escaping (Columns<Root>) -> AttributeColumn<Root, Literal>,
    optional literals: [Value],
    _ value: @escaping (World, World.Row<Root>) -> Value?
  ) {
    self.init(
      column: column, value: value, literals: literals + [nil], unwrap: { $0 }, equal: ==, less: <)
  }
}
