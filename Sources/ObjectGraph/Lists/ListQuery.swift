/// The request of a list, as the list evaluates it.
struct ListQuery<Value: Entity> {
  private(set) var request: FetchRequest<Value>
  let query: Query
  let matcher: Matcher
  let sorter: Sorter
  /// The entities of related objects that the filter or the order uses.
  let reached: Set<Int>
  /// The reason why the list cannot show the request; nil if it can. The other properties are then
  /// those of the last request that it could show.
  private(set) var refusal: (any Error)?

  /// Whether a row can be judged by its own values and the rows before and after it. This is not so
  /// with a limit, an offset or related objects.
  var readsOnlyItsRows: Bool { reached.isEmpty && query.limit == nil && query.offset == 0 }

  /// Evaluates a request.
  ///
  /// - Throws: The reason why the schema does not allow the request.
  init(_ request: FetchRequest<Value>, in model: Model) throws {
    self.request = request
    query = try request.query(in: model)
    matcher = try Matcher(query.condition, entity: query.entity, model: model)
    sorter = try Sorter(query.order, entity: query.entity, model: model)
    reached = try query.reachedEntities(model: model)
  }

  /// Notes a request that the list cannot show.
  mutating func refuse(_ request: FetchRequest<Value>, _ error: any Error) {
    self.request = request
    refusal = error
  }
}
