/// Which objects to fetch, in which order, as a value.
///
/// ```swift
/// let due = FetchRequest<Card>(where: { $0.rightCount < 3 }, sort: { $0.question }, limit: 20)
/// let cards = try context.fetch(due)
/// ```
///
/// It knows properties by their names in the schema, so that an archived request still means the
/// same after properties moved in the struct. One that names what the schema no longer has is
/// refused by the fetch, with an error that says which.
public struct FetchRequest<Root: Entity>: Hashable, Sendable {
  /// What the objects must be like; nil for all objects.
  public var filter: Filter<Root>?
  /// The order of the objects; ids break ties.
  public var order: Ordering<Root>
  /// At most so many objects, or all.
  public var limit: Int?
  /// How many objects to leave out at the beginning.
  public var offset: Int
  /// The relations to read along.
  public var prefetch: Prefetch<Root>

  /// All objects of the entity, in the order of their ids.
  public init() { self.init(filter: nil) }

  /// The objects that meet a filter.
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

  /// All objects of the entity.
  public init(
    @OrderingBuilder<Root> sort order: (Columns<Root>) -> Ordering<Root> = { _ in Ordering() },
    limit: Int? = nil, offset: Int = 0,
    @PrefetchBuilder<Root> prefetch: (Columns<Root>) -> Prefetch<Root> = { _ in Prefetch() }
  ) {
    self.init(
      filter: nil, order: Ordering(order), limit: limit, offset: offset,
      prefetch: prefetch(Columns()))
  }

  /// The parts, as values.
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

  /// What a store is asked for. Names are not checked yet: the store or a `Matcher` does.
  package func query(in model: Model) throws(GraphError) -> Query {
    guard let entity = model.index(of: Root.self) else {
      throw GraphError("fetch \(Root.layout.name)", .unknownEntity(Root.layout.name))
    }
    if let exceeded { throw .excess(exceeded, fetching: Root.layout.name) }
    var condition = filter?.condition
    if case .leaf(.constant(true))? = condition?.node.kind { condition = nil }
    // An archive can say any number; these can be added up.
    let bounds = 0...(1 << 48)
    return Query(
      entity: entity, condition: condition, order: order.terms,
      limit: limit.map { min(max($0, bounds.lowerBound), bounds.upperBound) },
      offset: min(max(offset, bounds.lowerBound), bounds.upperBound))
  }
}

extension FetchRequest {
  /// The limit that the request exceeds. What surrounds a filter later, as a window of a list does,
  /// does not count.
  private var exceeded: RequestLimit? {
    if case .leaf(.excess(let limit))? = filter?.condition.node.kind { return limit }
    return order.exceeded ?? prefetch.exceeded
  }
}

extension FetchRequest: Codable {
  private enum CodingKeys: CodingKey { case entity, filter, order, limit, offset, prefetch }

  /// Reads a request, refusing one for another entity.
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

  /// Writes names of the schema; what is not asked for is left out.
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
