/// A limit of a request's size. Each store can answer all requests within the limits.
///
/// A request is data that may come from anywhere. If a decoded request exceeds a limit, decoding
/// throws. If a program creates a request that exceeds a limit, the fetch throws.
package enum RequestLimit: String, Error, Hashable {
  /// The limit of nested `&&`, `||`, `!` and closures. `a && b && c` is one level.
  case levels
  /// The limit of comparisons in one filter.
  case terms
  /// The limit of nested closures of to-many properties.
  case closures
  /// The limit of keys in an order.
  case orderTerms
  /// The limit of relations in one path of a filter, an order or a prefetch.
  case relations
  /// The limit of relations to prefetch. A relation counts once even if several paths contain it.
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
  /// Returns the error for a request that exceeds a limit.
  package static func excess(_ limit: RequestLimit, fetching entity: String) -> GraphError {
    GraphError("fetch \(entity)", .tooLarge(limit.message))
  }
}

extension Condition {
  /// The limit of levels, terms or closures that the condition exceeds; nil if it is within all
  /// limits.
  var exceeded: RequestLimit? {
    if case .leaf(.excess(let limit)) = node.kind { return limit }
    if levels > RequestLimit.levels.most { return .levels }
    if terms > RequestLimit.terms.most { return .terms }
    if closures > RequestLimit.closures.most { return .closures }
    return nil
  }

  /// The condition or, if it exceeds a limit, a small condition that names the limit. A loop that
  /// joins conditions endlessly therefore needs only limited memory.
  var limited: Condition { exceeded.map { .excess($0) } ?? self }
}

extension Model {
  /// Checks that a condition is within the limits.
  ///
  /// - Throws: An error if the condition exceeds a limit.
  package func checkSize(of condition: Condition, fetching entity: Int) throws(GraphError) {
    // Lists add a few levels and terms to the condition of a request.
    let added = 8
    let limit: RequestLimit? =
      condition.levels > RequestLimit.levels.most + added
      ? .levels : condition.terms > RequestLimit.terms.most + added ? .terms : nil
    if let limit { throw .excess(limit, fetching: layouts[entity].name) }
  }
}
