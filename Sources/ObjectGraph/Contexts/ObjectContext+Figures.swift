extension ObjectContext {
  /// Returns the number of objects that meet a filter, including unsaved objects.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func count<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Int {
    try count(FetchRequest(filter: Filter(filter)))
  }

  /// Returns the number of objects that meet the given filter. Without a filter, returns the number
  /// of all objects.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func count<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil
  ) throws -> Int {
    try count(FetchRequest(filter: filter))
  }

  /// Returns the number of objects that meet a request's filter. The request's limit and offset are
  /// ignored.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func count<Value: Entity>(_ request: FetchRequest<Value>) throws -> Int {
    var query = try query(of: request)
    (query.limit, query.offset) = (nil, 0)
    let counted = query
    return try reading {
      guard try isPlain(counted), let reader = try currentReader() else {
        return try graphObjects(counted).count
      }
      guard case .integer(let count) = try reader.aggregate(.count, of: counted) else { return 0 }
      return Int(count)
    }
  }

  /// Returns whether any object meets a filter.
  ///
  /// - Complexity: One query of the store, which reads at most one row more than the number of
  ///   unsaved objects, because each of these may replace a row. If the filter uses related
  ///   objects, and any object of their entity has unsaved changes, all rows of the searched entity
  ///   are read.
  public func exists<Value: Entity>(
    _ type: Value.Type, where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Bool {
    try exists(type, filter: Filter(filter))
  }

  /// Returns whether any object meets the given filter. Without a filter, returns whether there is
  /// any object.
  ///
  /// - Complexity: One query of the store, which reads at most one row more than the number of
  ///   unsaved objects, because each of these may replace a row. If the filter uses related
  ///   objects, and any object of their entity has unsaved changes, all rows of the searched entity
  ///   are read.
  public func exists<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil
  ) throws -> Bool {
    var query = try query(of: FetchRequest(filter: filter))
    query.limit = 1
    return try !graphObjects(query).isEmpty
  }

  /// Returns the sum of a property over the objects that meet a filter; zero if there is no such
  /// object.
  ///
  /// - Throws: An error if the sum exceeds the range of the property's type.
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func sum<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Number {
    try figure(.sum(property(Columns()).path), Filter(filter)) ?? .zero
  }

  /// Returns the sum of a property over the objects that meet the given filter, or over all objects
  /// if there is no filter. Returns zero if there is no such object.
  ///
  /// - Throws: An error if the sum exceeds the range of the property's type.
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func sum<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number>,
    filter: Filter<Value>? = nil
  ) throws -> Number {
    try figure(.sum(property(Columns()).path), filter) ?? .zero
  }

  /// Returns the least value of a property over the objects that meet a filter; nil if there is no
  /// such object.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func minimum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Member? {
    try figure(.minimum(property(Columns()).path), Filter(filter))
  }

  /// Returns the least value of a property over the objects that meet the given filter, or over all
  /// objects if there is no filter. Returns nil if there is no such object.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func minimum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    filter: Filter<Value>? = nil
  ) throws -> Member? {
    try figure(.minimum(property(Columns()).path), filter)
  }

  /// Returns the greatest value of a property over the objects that meet a filter; nil if there is
  /// no such object.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func maximum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Member? {
    try figure(.maximum(property(Columns()).path), Filter(filter))
  }

  /// Returns the greatest value of a property over the objects that meet the given filter, or over
  /// all objects if there is no filter. Returns nil if there is no such object.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func maximum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    filter: Filter<Value>? = nil
  ) throws -> Member? {
    try figure(.maximum(property(Columns()).path), filter)
  }

  /// Returns the mean of a property over the objects that meet a filter; nil if there is no such
  /// object.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func average<Value: Entity, Number: AttributeValue & Numeric>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Number>,
    where filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Double? {
    try figure(.average(property(Columns()).path), Filter(filter))
  }

  /// Returns the mean of a property over the objects that meet the given filter, or over all
  /// objects if there is no filter. Returns nil if there is no such object.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
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
    // The property of the figure may lead to rows of other entities, as the filter may. It is the
    // order of this query, because `isPlain` examines the entities of the condition and the order.
    var widest = query
    widest.order = aggregate.path.map { [OrderTerm(property: $0, isDescending: false)] } ?? []
    let reach = widest
    let figure = try reading {
      if try isPlain(reach), let reader = try currentReader() {
        return try reader.aggregate(aggregate, of: query)
      }
      let rows = try graphObjects(query).map { ContextRow($0, in: self) }
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
