package import ObjectGraph

// Filters that are deep, wide or nested. They are too large to write them again in plain Swift, so
// tests compare the answers of several stores.

extension RandomConditions {
  /// Draws a filter that is deep, wide, nested or a mixture. A greater size allows more levels,
  /// terms and closures.
  package mutating func shape(upTo size: Int) -> Filter<Sample> {
    switch below(4) {
    case 0: return deep(levels: 1 + below(size))
    case 1: return wide(terms: 1 + below(size * 4))
    case 2: return nested(closures: 1 + below(min(size, 20)))
    default:
      var filter = shape(upTo: max(1, size / 3))
      for _ in 0..<below(3) {
        let other = shape(upTo: max(1, size / 4))
        filter = below(2) == 0 ? filter || !other : filter && other
      }
      return filter
    }
  }

  /// Draws a filter with the given number of levels or a few more.
  package mutating func deep(levels: Int) -> Filter<Sample> {
    var filter = sampleFilter(depth: 0).filter
    while filter.condition.levels < levels {
      let term = sampleFilter(depth: 0).filter
      switch below(4) {
      case 0: filter = !filter && term
      case 1: filter = !(term || filter)
      case 2: filter = (filter && term) || sampleFilter(depth: 0).filter
      default: filter = term && !(filter && sampleFilter(depth: 0).filter)
      }
    }
    return filter
  }

  /// Draws a filter that joins the given number of terms, all by `&&` or all by `||`.
  package mutating func wide(terms: Int) -> Filter<Sample> {
    var filter = sampleFilter(depth: 0).filter
    let isAnd = below(2) == 0
    for _ in 1..<max(2, terms) {
      let term = sampleFilter(depth: 0).filter
      filter = isAnd ? filter && !term : filter || term
    }
    return filter
  }

  /// Draws a filter with the given number of nested closures. They follow relations to objects that
  /// many rows share.
  package mutating func nested(closures: Int) -> Filter<Sample> {
    var filter = sampleFilter(depth: 0).filter
    for _ in 0..<closures {
      let inner = filter
      let term = sampleFilter(depth: 0).filter
      switch below(6) {
      case 0: filter = Filter { $0.group.members.contains { _ in inner } }
      case 1: filter = Filter { $0.friends.contains { _ in inner || term } }
      case 2: filter = Filter { $0.group.members.allSatisfy { _ in inner || term } }
      case 3: filter = Filter { !$0.friend.friends.contains { _ in inner } && term }
      case 4: filter = Filter { $0.friend.friends.allSatisfy { _ in !inner } || term }
      default:
        filter = Filter { $0.group.members.count > 2 && $0.group.members.contains { _ in inner } }
      }
    }
    return filter
  }

  /// Draws an order with the given number of sort keys. Most keys begin with the relation `friend`.
  package mutating func order(keys: Int) -> Ordering<Sample> {
    var terms: [OrderTerm] = []
    while terms.count < keys {
      for var term in sampleOrder().order.terms where terms.count < keys {
        for _ in 0..<below(5) { term.property.relations.insert("friend", at: 0) }
        terms.append(term)
      }
    }
    return Ordering(terms: terms)
  }
}
