extension ObjectContext {
  /// Returns the number of objects that meet a filter, including unsaved objects. Without a filter,
  /// returns the number of all objects.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func count<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value> = { _ in .all() }
  ) throws -> Int {
    try count(FetchRequest(where: filter))
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
    try noteRead(counted, isOnlyFigure: true)
    return try reading { try QueryAnswer(counted, in: self).count() }
  }

  /// Returns how many objects have each value of a property, of those that meet a filter, or of all.
  ///
  /// ```swift
  /// let counts = try context.counts(Card.self, by: \.deck)
  /// for deck in decks { print(deck.name, counts[deck.id] ?? 0) }
  /// ```
  ///
  /// Values that no object has are not in the result. If the property is optional, the objects in
  /// which it is nil are counted under the key nil.
  ///
  /// - Throws: An error if the property is neither an attribute nor a to-one property, or if a store
  ///   has a value that the property cannot hold.
  /// - Complexity: One query of the store. If more than 500 objects have unsaved changes, or if
  ///   unsaved changes of related objects may affect the result, one fetch of the objects that meet
  ///   the filter.
  public func counts<Value: Entity, Member: Hashable>(
    _: Value.Type, by path: KeyPath<Value, Member>,
    where filter: (Columns<Value>) -> Filter<Value> = { _ in .all() }
  ) throws -> [Member: Int] {
    let layout = Value.layout
    let attempted = "count \(layout.name) by a property"
    guard let column = layout.column(of: path) else {
      let advice = "it is neither an attribute nor a to-one property"
      throw named(
        GraphError(attempted, .request(entity: layout.name, property: "\(path)", advice)))
    }
    let query = try query(of: FetchRequest(where: filter))
    try noteRead(query, isOnlyFigure: true)
    family.columnsRead?.add(query.entity, column: column)
    let counts = try reading { try QueryAnswer(query, in: self).counts(by: column) }
    var values: [Member: Int] = [:]
    var scratch = Value()
    for (stored, count) in counts {
      do {
        try StructMemory.lend(&scratch) {
          try layout.columns[column].set(stored, in: $0, structSize: layout.size)
        }
      } catch {
        let message = (error as? ColumnFault)?.message ?? "\(error)"
        throw named(GraphError(attempted, .unreadable(object: layout.name, message)))
      }
      values[scratch[keyPath: path], default: 0] += count
    }
    return values
  }

  /// Returns whether any object meets a filter. Without a filter, returns whether there is any
  /// object.
  ///
  /// - Complexity: One query of the store, which reads at most one row more than the number of
  ///   unsaved objects, because each of these may replace a row. If the filter uses related
  ///   objects, and any object of their entity has unsaved changes, all rows of the searched entity
  ///   are read.
  public func exists<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value> = { _ in .all() }
  ) throws -> Bool {
    var query = try query(of: FetchRequest(where: filter))
    query.limit = 1
    try noteRead(query, isOnlyFigure: true)
    return try !graphObjects(query).isEmpty
  }

  /// Returns the sum of a property over the objects that meet a filter, or over all objects. Leaves
  /// out nil and values that no column can keep, such as not-a-number. Returns zero if no value is
  /// left.
  ///
  /// The sum of Decimals is exact. The sum of infinities of both signs is not-a-number.
  ///
  /// - Throws: An error if the sum exceeds the range of the property's type.
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func sum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    where filter: (Columns<Value>) -> Filter<Value> = { _ in .all() }
  ) throws -> Member.Figure where Member.Figure: Numeric {
    try figure(.sum(property(Columns()).path), filter) ?? .zero
  }

  /// Returns the mean of a property over the objects that meet a filter, or over all objects. Leaves
  /// out nil and values that no column can keep, such as not-a-number. Returns nil if no value is
  /// left.
  ///
  /// The mean of Decimals is a `Decimal` of at most 38 digits. It is rounded once, and a half is
  /// rounded to the even digit. The mean of other numbers is a `Double`.
  ///
  /// - Throws: An error if no `Decimal` can represent the mean of Decimals.
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func average<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    where filter: (Columns<Value>) -> Filter<Value> = { _ in .all() }
  ) throws -> Member.Mean? where Member.Figure: Numeric {
    try figure(.average(property(Columns()).path), filter)
  }

  /// Returns the least value of a property over the objects that meet a filter, or over all objects.
  /// Leaves out nil and values that no column can keep, such as not-a-number. Returns nil if no
  /// value is left.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func minimum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    where filter: (Columns<Value>) -> Filter<Value> = { _ in .all() }
  ) throws -> Member.Figure? {
    try figure(.minimum(property(Columns()).path), filter)
  }

  /// Returns the greatest value of a property over the objects that meet a filter, or over all
  /// objects. Leaves out nil and values that no column can keep, such as not-a-number. Returns nil
  /// if no value is left.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects that meet the filter.
  public func maximum<Value: Entity, Member: AttributeValue>(
    _: Value.Type, of property: (Columns<Value>) -> AttributeColumn<Value, Member>,
    where filter: (Columns<Value>) -> Filter<Value> = { _ in .all() }
  ) throws -> Member.Figure? {
    try figure(.maximum(property(Columns()).path), filter)
  }

  private func figure<Value: Entity, Result: AttributeValue>(
    _ aggregate: Aggregate, _ filter: (Columns<Value>) -> Filter<Value>
  ) throws -> Result? {
    let query = try query(of: FetchRequest(where: filter))
    // The property of the figure may lead to rows of other entities, as the filter may. It is the
    // order of this query, because the answer examines the entities of the condition and the order.
    var widest = query
    widest.order = aggregate.path.map { [OrderTerm(property: $0, isDescending: false)] } ?? []
    let reach = widest
    try noteRead(reach, isOnlyFigure: true)
    let figure = try reading {
      if try QueryAnswer(reach, in: self).isPlain, let reader = try currentReader() {
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
