extension ObjectContext {
  /// Returns the rows of a statement as tuples. There must be one type for each column, in order.
  ///
  /// ```swift
  /// for (question, count) in try context.rows(
  ///   "select question, rightCount from Card where due < \(now)", String.self, Int.self)
  /// { … }
  /// ```
  ///
  /// The statement reads the moment (read transaction) in which the context reads, and sees no
  /// unsaved changes.
  ///
  /// - Throws: ``GraphError/Reason/unsaved(entities:)`` if the statement reads an entity of which this
  ///   context or one above has unsaved changes. ``GraphError/Reason/statement(_:)`` if it is not one
  ///   statement that only reads, or has another number of columns. An error if a value does not fit
  ///   its type.
  /// - Complexity: That of the statement in the store, and linear in the number of its rows. If others
  ///   have changed rows since the last merge, one row read for each object of these rows.
  public func rows<First: AttributeValue, Second: AttributeValue, each Other: AttributeValue>(
    _ query: SQL, _ first: First.Type, _ second: Second.Type, _ others: repeat (each Other).Type
  ) throws -> [(First, Second, repeat each Other)] {
    try rows(query, of: (First, Second, repeat each Other).self) {
      try TupleLayout(first, second, repeat each others)
    }
  }

  /// Returns the only column of a statement's rows.
  ///
  /// ```swift
  /// let names = try context.rows("select distinct name from Deck order by name", String.self)
  /// ```
  ///
  /// The statement reads the moment (read transaction) in which the context reads, and sees no
  /// unsaved changes.
  ///
  /// - Throws: The errors of a call with several columns.
  /// - Complexity: That of the statement in the store, and linear in the number of its rows.
  public func rows<Column: AttributeValue>(
    _ query: SQL, _ column: Column.Type
  ) throws -> [Column] {
    try rows(query, of: Column.self) { try TupleLayout(column) }
  }

  /// Returns the rows of a statement as values with the given layout.
  private func rows<Row>(
    _ query: SQL, of _: Row.Type, _ layout: () throws -> TupleLayout
  ) throws -> [Row] {
    try reading(query) { statement in
      let layout = try statement.checked(layout)
      var memory = GrowingMemory(of: Row.self)
      // If a row cannot be read, the values of the rows before it are still in the memory and must be
      // deinitialised. After `takeAll`, the memory is empty.
      defer { memory.endAll(of: Row.self) }
      try statement.forEachRow { cells in
        if memory.isFull { memory.grow(moving: Row.self) }
        try layout.decode(cells, into: memory.nextPlace, columns: statement.columns)
        memory.count += 1
      }
      return memory.takeAll(of: Row.self)
    }
  }

  /// Returns the rows of a statement as values of a `Decodable` type, whose properties have the names
  /// of the columns.
  ///
  /// ```swift
  /// struct Total: Decodable { var deck: String, cards: Int }
  /// let totals = try context.rows(
  ///   """
  ///   select d.name as deck, count(*) as cards from \(Deck.self) d
  ///     join \(Card.self) c on c.deck = d.id group by d.id
  ///   """, as: Total.self)
  /// ```
  ///
  /// A property can have a type that conforms to ``AttributeValue``, an enum with a raw value, a
  /// ``Ref``, or an optional of these. Each property must have a column. A type that is itself one
  /// value, such as `String`, is read from the only column.
  ///
  /// The statement reads the moment (read transaction) in which the context reads, and sees no
  /// unsaved changes.
  ///
  /// - Throws: The errors of ``rows(_:_:_:_:)``, and ``GraphError/Reason/statement(_:)`` if a property has
  ///   no column.
  /// - Complexity: That of the statement in the store, and linear in the number of its rows.
  public func rows<Row: Decodable>(_ query: SQL, as _: Row.Type) throws -> [Row] {
    try reading(query) { statement in
      let decoder = RowDecoder(statement.columns)
      var rows: [Row] = []
      try statement.forEachRow { cells in rows.append(try decoder.decode(cells)) }
      return rows
    }
  }

  /// Returns the objects whose ids are in the first column of a statement's rows, in the order of the
  /// rows.
  ///
  /// ```swift
  /// let some = try context.objects(
  ///   Card.self, "select id from \(Card.self) where deck = \(deck) order by random() limit 10")
  /// ```
  ///
  /// If several rows have the same id, the result contains the same object several times. Further
  /// columns are ignored.
  ///
  /// The statement reads the moment (read transaction) in which the context reads, and sees no
  /// unsaved changes.
  ///
  /// - Throws: The errors of ``rows(_:_:_:_:)``, and ``GraphError/Reason/notFound(_:)`` if there is no
  ///   object with one of the ids.
  /// - Complexity: That of the statement in the store, and one row read for each object that the
  ///   context does not have yet.
  public func objects<Value: Entity>(_: Value.Type, _ query: SQL) throws -> [Object<Value>] {
    let entity = try entity(Value.self, to: "\(StatementAttempt(query))")
    noteRead(entity)
    return try reading(query) { statement in
      var keys: [Int64] = []
      try statement.forEachRow { cells in
        keys.append(try cells[0].value(as: Int64.self, named: statement.columns[0]))
      }
      let objects = try keys.enumerated().map { index, key in
        if index % StoreSession.announcedAtOnce == 0 {
          try announce(Set(keys[index...].prefix(StoreSession.announcedAtOnce)), of: entity)
        }
        guard let object = try graphObject(key, entity) else {
          throw statement.attempted.error(.notFound(model.name(entity, key)))
        }
        return object
      }
      return objects.typed(Value.self)
    }
  }

  /// Runs a statement, and calls the closure before its first row, if the context may see its rows.
  private func reading<Result>(
    _ query: SQL, _ body: (RunningStatement) throws -> Result
  ) throws -> Result {
    let attempted = StatementAttempt(query)
    return try reading {
      let pieces = try query.pieces(in: model, attempted)
      guard let reader = try currentReader() else {
        throw attempted.error(.statement("a draft has no store"))
      }
      let rows = try attempted.naming { try reader.readRows(of: pieces) }
      defer { rows.close() }
      try admit(rows.entities ?? Array(model.layouts.indices), attempted)
      return try body(RunningStatement(rows, attempted))
    }
  }

  /// Notes, for the live value that is being computed, that a statement reads all rows of entities.
  ///
  /// - Throws: ``GraphError/Reason/unsaved(entities:)`` if this context shows other rows of them than
  ///   the store.
  private func admit(_ entities: [Int], _ attempted: StatementAttempt) throws {
    for entity in entities { noteRead(entity) }
    let unsaved = try entities.filter { try hasUnsaved($0) || hasOutdated($0) }
    guard unsaved.isEmpty else {
      family.columnsRead?.awaitsSave = true
      throw attempted.error(.unsaved(entities: unsaved.map { model.layouts[$0].name }.sorted()))
    }
  }

  /// Returns whether this context or one above has unsaved changes of an entity.
  private func hasUnsaved(_ entity: Int) -> Bool {
    if changes.lists[entity].contains(where: \.isUnsaved) { return true }
    return parent?.hasUnsaved(entity) ?? false
  }

  /// Returns whether this context or one above has an object that differs from its row, because others
  /// have changed or deleted the row since the last merge.
  private func hasOutdated(_ entity: Int) throws -> Bool {
    let keys = merger.unmerged.heldKeys[entity].filter { nearest($0, entity) != nil }
    try session.announce(keys.sorted(), of: entity)
    return try keys.contains { key in
      guard let object = nearest(key, entity) else { return false }
      guard try session.readRow(key, of: entity) else { return !object.isDeleted }
      let row = try table(entity).makeScratch(key, cells)
      let layout = object.layout
      return object.isDeleted
        || object.withValue { value in
          row.withValue { !layout.difference(value, $0).isEmpty }
        }
    }
  }
}
