extension ObjectContext {
  /// Updates the object that has the same key as a value, or inserts the value if there is none.
  ///
  /// ```swift
  /// let card = try context.upsert(Card(code: "a", question: text), by: \.code) {
  ///   $0.question = $1.question
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - new: The value. If an object has its key, the value is only read by the closure.
  ///   - key: The properties of one rule of the schema: of a `Unique`, or of an attribute that is
  ///     `unique`. A value with nil in one of them is always inserted.
  ///   - update: A closure that changes the value of the existing object. It is not called for an
  ///     inserted one. If it throws, nothing is changed.
  /// - Returns: The object that was updated or inserted. An updated one keeps its id.
  /// - Complexity: That of a fetch by the key, and of one edit.
  @discardableResult
  public func upsert<Value: Entity>(
    _ new: Value, by key: any PartialKeyPath<Value> & Sendable...,
    update: (_ existing: inout Value, _ new: Value) throws -> Void
  ) throws -> Object<Value> {
    try upsertAll([new], key, update)[0]
  }

  /// Updates the objects that have the same keys as some values, and inserts the other values.
  ///
  /// ```swift
  /// try context.upsert(feed.map(Card.init), by: \.code) { $0.question = $1.question }
  /// ```
  ///
  /// The objects that a fetch finds are updated, so unsaved objects of this context and of those
  /// above are among them. Values with equal keys meet in one object, in their order. All closures
  /// run before the first change, and all changes are one step of undo. An object whose value is
  /// equal afterwards is not edited.
  ///
  /// Between this call and the save, another process may insert an object with one of the keys. The
  /// save is then refused as ``GraphError/Reason/notUnique(entity:properties:object:)``; discard, and
  /// upsert again.
  ///
  /// - Returns: The object of each value, in the order of the values.
  /// - Complexity: One query of the store for each 500 different keys, and linear in the number of
  ///   values. The lists and contexts that follow this context are then updated once.
  @discardableResult
  public func upsert<Value: Entity>(
    _ values: some Sequence<Value>, by key: any PartialKeyPath<Value> & Sendable...,
    update: (_ existing: inout Value, _ new: Value) throws -> Void
  ) throws -> [Object<Value>] {
    try upsertAll(Array(values), key, update)
  }

  private func upsertAll<Value: Entity>(
    _ values: [Value], _ paths: [any PartialKeyPath<Value> & Sendable],
    _ update: (inout Value, Value) throws -> Void
  ) throws -> [Object<Value>] {
    let attempted = "upsert \(Value.layout.name)"
    let entity = try entity(Value.self, to: attempted)
    let rule = try naming { try Value.layout.rule(of: paths, attempted) }
    let keys = try naming { try values.map { try rule.key(of: $0, attempted) } }
    let found = try reading { try holders(of: keys, rule, entity) }
    var results: [(object: Object<Value>?, value: Value)] = []
    var known: [[StoredValue]: Int] = [:]
    let places = try zip(values, keys).map { value, key in
      if let place = key.flatMap({ known[$0] }) {
        try update(&results[place].value, value)
        return place
      }
      if let object = key.flatMap({ found[$0] })?.typed(Value.self) {
        var existing = object.value
        try update(&existing, value)
        results.append((object, existing))
      } else {
        results.append((nil, value))
      }
      if let key { known[key] = results.count - 1 }
      return results.count - 1
    }
    let objects = try group {
      try results.map { object, value in
        guard let object else { return try insert(value) }
        if !object.hasValue(value) { object.value = value }
        return object
      }
    }
    return places.map { objects[$0] }
  }

  /// Returns the objects that have one of the keys, by their keys. Of several objects with the same
  /// key, the oldest one counts.
  private func holders(
    of keys: [[StoredValue]?], _ rule: ColumnIndex, _ entity: Int
  ) throws -> [[StoredValue]: GraphObject] {
    var found: [[StoredValue]: GraphObject] = [:]
    var seen: Set<[StoredValue]> = []
    let keys = keys.compactMap(\.self).filter { seen.insert($0).inserted }
    for start in stride(from: 0, to: keys.count, by: 500) {
      let condition = rule.condition(keys[start...].prefix(500), model.layouts[entity])
      for object in try graphObjects(Query(entity: entity, condition: condition)) {
        let key = try object.withValue { value in
          try rule.columns.map { try object.layout.columns[$0].stored(of: value) }
        }
        if found[key] == nil { found[key] = object }
      }
    }
    return found
  }
}

extension Layout {
  /// Returns the rule that consists of the given properties.
  fileprivate func rule<Root: Entity>(
    of paths: [any PartialKeyPath<Root> & Sendable], _ attempted: String
  ) throws(GraphError) -> ColumnIndex {
    let places = paths.map { IndexDeclaration.column(of: .init($0), in: columns) }
    let wanted = Set(places.compactMap(\.self))
    let rule = uniqueRules.first { Set($0.columns) == wanted && $0.columns.count == places.count }
    if let rule { return rule }
    let names = places.map { $0.map { columns[$0].name } ?? "?" }.joined(separator: ", ")
    throw GraphError(
      attempted,
      .request(entity: name, property: names, "the schema has no rule that this is unique"))
  }
}

extension ColumnIndex {
  /// Returns the values of the rule's columns in a struct; nil if one of them is null.
  fileprivate func key<Value: Entity>(
    of value: Value, _ attempted: String
  ) throws(GraphError) -> [StoredValue]? {
    var value = value
    var key: [StoredValue] = []
    for column in columns {
      let column = Value.layout.columns[column]
      do {
        let stored = try StructMemory.lend(&value) { try column.stored(of: $0) }
        if stored.isNull { return nil }
        key.append(stored)
      } catch {
        let message = (error as? ColumnFault)?.message ?? "\(error)"
        let problem = Problem(column.name, message)
        throw GraphError(
          attempted, .invalid([InvalidObject(object: Value.layout.name, problems: [problem])]))
      }
    }
    return key
  }

  /// Returns the condition that selects the rows with one of the keys. The column with the most
  /// different values is compared with a list; so there are few terms, if the others have few values.
  fileprivate func condition(_ keys: some Collection<[StoredValue]>, _ layout: Layout) -> Condition
  {
    let paths = columns.map { PropertyPath(name: layout.columns[$0].name) }
    let counts = columns.indices.map { place in Set(keys.map { $0[place] }).count }
    let listed = columns.indices.max { counts[$0] < counts[$1] } ?? 0
    let groups = Dictionary(grouping: keys) { key in
      key.indices.filter { $0 != listed }.map { key[$0] }
    }
    let terms = groups.map { others, keys in
      let rest = zip(paths.indices.filter { $0 != listed }, others)
      return Condition.and(
        rest.map { .compare(paths[$0], .equal, $1) } + [
          .isIn(paths[listed], keys.map { $0[listed] })
        ])
    }
    return terms.count == 1 ? terms[0] : .or(terms)
  }
}
