// Filters and requests are printed as the Swift code that creates them.

extension Filter: CustomStringConvertible {
  /// The filter as Swift code: `Filter<Card> { $0.rightCount < 3 }`.
  public var description: String {
    "Filter<\(Root.self)> { \(condition.printed(of: Root.layout)) }"
  }
}

extension FetchRequest: CustomStringConvertible {
  /// The request as Swift code.
  ///
  /// ```swift
  /// FetchRequest<Card>(where: { $0.rightCount < 3 }, sort: { $0.question })
  /// ```
  public var description: String {
    var parts: [String] = []
    if let filter { parts.append("where: { \(filter.condition.printed(of: Root.layout)) }") }
    if !order.terms.isEmpty {
      let keys = order.terms.map(\.printed)
      parts.append("sort: { \(keys.joined(separator: "; ")) }")
    }
    if let limit { parts.append("limit: \(limit)") }
    if offset != 0 { parts.append("offset: \(offset)") }
    if !prefetch.paths.isEmpty {
      let paths = prefetch.paths.map { "$0.\($0.joined(separator: "."))" }
      parts.append("prefetch: { \(paths.joined(separator: "; ")) }")
    }
    return "FetchRequest<\(Root.self)>(\(parts.joined(separator: ", ")))"
  }
}

extension OrderTerm {
  fileprivate var printed: String {
    "$0.\(property.printed)" + (textOrder.map { ".\($0.rawValue)" } ?? "")
      + (isDescending ? ".descending" : "")
  }
}
