/// A description of the objects to fetch and of their order.
///
/// ```swift
/// let due = FetchRequest<Card>(where: { $0.rightCount < 3 }, sort: { $0.question }, limit: 20)
/// let cards = try context.fetch(due)
/// ```
///
/// A request contains the names that properties have in the schema, so an archived request keeps
/// its meaning when the properties of the struct are reordered. A fetch throws if the schema no
/// longer has one of these names. The error then contains the name.
public struct FetchRequest<Root: Entity>: Hashable, Sendable {
  /// The filter for the objects; nil for all objects.
  public var filter: Filter<Root>?
  /// The order of the objects. Objects that are equal in this order are ordered by id.
  public var order: Ordering<Root>
  /// The greatest number of objects to fetch; nil for all.
  public var limit: Int?
  /// The number of objects to skip at the beginning.
  public var offset: Int
  /// The relations whose objects a fetch reads together with the objects of the request.
  public var prefetch: Prefetch<Root>

  /// Creates a request for the objects that match a filter.
  public init(
    where filter: (Columns<Root>) -> Filter<Root>,
    @OrderingBuilder<Root> sort order: (Columns<Root>) -> Ordering<Root> = { _ in Ordering() },
    limit: Int? = nil, offset: Int = 0,
    @PrefetchBuilder<Root> prefetch: (Columns<Root>) -> Prefetch<Root> = { _ in Prefetch() }
  ) {
    self.init(
      filter: Filter(filter), order: Ordering(order), limit: limit, offset: offset,
      prefetch: prefetch(Columns()))
  }

  /// Creates a request for all objects of the entity.
  public init(
    @OrderingBuilder<Root> sort order: (Columns<Root>) -> Ordering<Root> = { _ in Ordering() },
    limit: Int? = nil, offset: Int = 0,
    @PrefetchBuilder<Root> prefetch: (Columns<Root>) -> Prefetch<Root> = { _ in Prefetch() }
  ) {
    self.init(
      filter: nil, order: Ordering(order), limit: limit, offset: offset,
      prefetch: prefetch(Columns()))
  }

  /// Creates a request from an existing filter, order and set of prefetched relations.
  public init(
    filter: Filter<Root>?, order: Ordering<Root> = Ordering(), limit: Int? = nil,
    offset: Int = 0, prefetch: Prefetch<Root> = Prefetch()
  ) {
    self.filter = filter
    self.order = order
    self.limit = limit
    self.offset = offset
    self.prefetch = prefetch
  }

  /// Returns the query for a store. Names of properties are checked later, by the store or a
  /// `Matcher`.
  ///
  /// - Throws: If the model does not have the entity, or the request exceeds a limit.
  package func query(in model: Model) throws(GraphError) -> Query {
    guard let entity = model.index(of: Root.self) else {
      throw GraphError("fetch \(Root.layout.name)", .unknownEntity(Root.layout.name))
    }
    if let exceeded { throw .excess(exceeded, fetching: Root.layout.name) }
    var condition = filter?.condition
    if case .leaf(.constant(true))? = condition?.node.kind { condition = nil }
    // An archive may contain any number. Numbers within these bounds can be added without overflow.
    let bounds = 0...(1 << 48)
    return Query(
      entity: entity, condition: condition, order: order.terms,
      limit: limit.map { min(max($0, bounds.lowerBound), bounds.upperBound) },
      offset: min(max(offset, bounds.lowerBound), bounds.upperBound))
  }
}

extension FetchRequest {
  /// The limit that the request exceeds; nil if it is within all limits. Conditions that a windowed
  /// list adds to the filter later do not count.
  private var exceeded: RequestLimit? {
    if case .leaf(.excess(let limit))? = filter?.condition.node.kind { return limit }
    return order.exceeded ?? prefetch.exceeded
  }
}

extension FetchRequest: Codable {
  private enum CodingKeys: CodingKey { case entity, filter, order, limit, offset, prefetch }

  /// Decodes a request.
  ///
  /// - Throws: If the request is for another entity, or exceeds a limit.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .entity)
    guard name == Root.layout.name else {
      throw DecodingError.dataCorruptedError(
        forKey: .entity, in: container,
        debugDescription: "a request for \(name), not for \(Root.layout.name)")
    }
    let condition = try container.decodeIfPresent(Condition.self, forKey: .filter)
    let terms = try container.decodeIfPresent([OrderTerm].self, forKey: .order)
    let paths = try container.decodeIfPresent([[String]].self, forKey: .prefetch)
    self.init(
      filter: condition.map { Filter($0) }, order: Ordering(terms: terms ?? []),
      limit: try container.decodeIfPresent(Int.self, forKey: .limit),
      offset: try container.decodeIfPresent(Int.self, forKey: .offset) ?? 0,
      prefetch: Prefetch(paths: paths ?? []))
    if let exceeded { throw exceeded.fault(at: decoder.codingPath) }
  }

  /// Encodes the request with the names of the schema. Parts that have their default value are left
  /// out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Root.layout.name, forKey: .entity)
    try container.encodeIfPresent(filter?.condition, forKey: .filter)
    if !order.terms.isEmpty { try container.encode(order.terms, forKey: .order) }
    try container.encodeIfPresent(limit, forKey: .limit)
    if offset != 0 { try container.encode(offset, forKey: .offset) }
    if !prefetch.paths.isEmpty { try container.encode(prefetch.paths, forKey: .prefetch) }
  }
}
