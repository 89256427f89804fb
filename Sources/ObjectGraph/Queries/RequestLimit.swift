/// A limit of a request; each store can answer requests that stay within all of them.
///
/// A request is data, which may come from anywhere. What exceeds a limit is refused when it is
/// decoded, or by the fetch if it was written in a program.
package enum RequestLimit: String, Error, Hashable {
  /// Levels of `&&`, `||`, `!` and closures around each other; `a && b && c` is one level.
  case levels
  /// Comparisons in one filter.
  case terms
  /// Closures of to-many properties in each other.
  case closures
  /// Keys of an order.
  case orderTerms
  /// Relations that follow each other in one path of a filter, an order or a prefetch.
  case relations
  /// Relations to read along, each counted once however many paths it is in.
  case prefetches

  package var most: Int {
    switch self {
    case .levels: 1_000
    case .terms: 20_000
    case .closures: 32
    case .orderTerms: 2_000
    case .relations: 100
    case .prefetches: 1_000
    }
  }

  private var things: String {
    switch self {
    case .levels: "levels in its filter"
    case .terms: "terms in its filter"
    case .closures: "closures in each other"
    case .orderTerms: "keys in its order"
    case .relations: "relations in one path"
    case .prefetches: "relations to prefetch"
    }
  }

  package var message: String { "the request has more than \(most) \(things)" }
}

extension GraphError {
  /// A request asks for more than any store answers.
  package static func excess(_ limit: RequestLimit, fetching entity: String) -> GraphError {
    GraphError("fetch \(entity)", .tooLarge(limit.message))
  }
}

extension Condition {
  /// The limit that the condition exceeds, of those that grow as conditions are joined.
  var exceeded: RequestLimit? {
    if case .leaf(.excess(let limit)) = node.kind { return limit }
    if levels > RequestLimit.levels.most { return .levels }
    if terms > RequestLimit.terms.most { return .terms }
    if closures > RequestLimit.closures.most { return .closures }
    return nil
  }

  /// The condition; if it exceeds a limit, only the word that it does, so that what is joined to it
  /// in a loop takes no more memory.
  var limited: Condition { exceeded.map { .excess($0) } ?? self }
}

extension Model {
  /// Throws if a store need not answer a condition.
  package func checkSize(of condition: Condition, fetching entity: Int) throws(GraphError) {
    // Lists surround a request's condition with a few of their own.
    let added = 8
    let limit: RequestLimit? =
      condition.levels > RequestLimit.levels.most + added
      ? .levels : condition.terms > RequestLimit.terms.most + added ? .terms : nil
    if let limit { throw .excess(limit, fetching: layouts[entity].name) }
  }
}
