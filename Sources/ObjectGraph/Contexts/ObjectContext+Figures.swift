extension ObjectContext {
  /// The number of objects that a filter admits, unsaved ones included.
  public func count<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Int {
    try count(FetchRequest(filter: Filter(filter)))
  }

  /// The number of objects that a stored filter admits; of all without a filter.
  public func count<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil
  ) throws -> Int {
    try count(FetchRequest(filter: filter))
  }

  /// The number of objects that a request's filter admits; its limit does not count.
  public func count<Value: Entity>(_ request: FetchRequest<Value>) throws -> Int {
    var query = try query(of: request)
    (query.limit, query.offset) = (nil, 0)
    let counted = query
    return try reading {
      guard try isPlain(counted), let reader = try currentReader() else {
        return try instances(counted).count
      }
      guard case .integer(let count) = try reader.aggregate(.count, of: counted) else { return 0 }
      return Int(count)
    }
  }

  /// Whether there is an object that a filter admits.
  public func exists<Value: Entity>(
    _ type: Value.Type, where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Bool {
    try exists(type, filter: Filter(filter))
  }

  /// Whether there is an object that a stored filter admits; any object without a filter.
  public func exists<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil
  ) throws -> Bool {
    var query = try query(of: FetchRequest(filter: filter))
    query.limit = 1
    return try !instances(query).isEmpty
  }

  /// The sum of a property over the objects that a filter admits; zero if there are none.
  ///
  /// - Throws: if the sum of integers is more than the property's type holds.
  public func sum<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Number {
    try figure(.sum(property(Columns()).path), Filter(filter)) ?? .zero
  }

  /// The sum of a property over the objects that a stored filter admits, or over all; zero if
  /// there are none.
  ///
  /// - Throws: if the sum of integers is more than the property's type holds.
  public func sum<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number>,
    filter: Filter<Value>? = nil
  ) throws -> Number {
    try figure(.sum(property(Columns()).path), filter) ?? .zero
  }

  /// The least of a property's values; nil if there are none.
  public func minimum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Member? {
    try figure(.minimum(property(Columns()).path), Filter(filter))
  }

  /// The least of a property's values over a stored filter's objects, or all; nil if there are none.
  public func minimum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    filter: Filter<Value>? = nil
  ) throws -> Member? {
    try figure(.minimum(property(Columns()).path), filter)
  }

  /// The greatest of a property's values; nil if there are none.
  public func maximum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Member? {
    try figure(.maximum(property(Columns()).path), Filter(filter))
  }

  /// The greatest of a property's values over a stored filter's objects, or all; nil if there are
  /// none.
  public func maximum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    filter: Filter<Value>? = nil
  ) throws -> Member? {
    try figure(.maximum(property(Columns()).path), filter)
  }

  /// The mean of a property's values; nil if there are none.
  public func average<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Double? {
    try figure(.average(property(Columns()).path), Filter(filter))
  }

  /// The mean of a property's values over a stored filter's objects, or all; nil if there are none.
  public func average<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number>,
    filter: Filter<Value>? = nil
  ) throws -> Double? {
    try figure(.average(property(Columns()).path), filter)
  }

  func figure<Value: Entity, Result: AttributeValue>(
    _ aggregate: Aggregate, _ filter: Filter<Value>?
  ) throws -> Result? {
    let query = try query(of: FetchRequest(filter: filter))
    // The figure may look at other rows than the filter does.
    var widest = query
    widest.order = aggregate.path.map { [OrderTerm(property: $0, isDescending: false)] } ?? []
    let reach = widest
    let figure = try reading {
      if try isPlain(reach), let reader = try currentReader() {
        return try reader.aggregate(aggregate, of: query)
      }
      let rows = try instances(query).map { ContextRow($0, in: self) }
      return try aggregate.figure(over: rows, query.entity, model)
    }
    if figure.isNull { return nil }
    do {
      return try figure.value(as: Result.self)
    } catch {
      let message = (error as? ColumnFault)?.message ?? "\(error)"
      throw GraphError("compute a figure of \(Value.layout.name)", .figure(message))
    }
  }
}
