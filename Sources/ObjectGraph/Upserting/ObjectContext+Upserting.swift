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
  ///   - key: A property that is unique by a rule of the schema, or the first one of a `Unique`. A
  ///     value with nil in one of the properties is always inserted.
  ///   - more: The other properties of the `Unique`. The order does not matter.
  ///   - update: A closure that changes the value of the existing object. It is not called for an
  ///     inserted one. If it throws, nothing is changed.
  /// - Returns: The object that was updated or inserted. An updated one keeps its id.
  /// - Throws: The error of the closure or of the fetch; if the key is no rule,
  ///   ``GraphError/Reason/request(entity:property:_:)``.
  /// - Complexity: That of a fetch by the key, and of one edit.
  @discardableResult
  public func upsert<Value: Entity>(
    _ new: Value, by key: any PartialKeyPath<Value> & Sendable,
    _ more: any PartialKeyPath<Value> & Sendable...,
    update: (_ existing: inout Value, _ new: Value) throws -> Void
  ) throws -> Object<Value> {
    try upsertAll([new], [key] + more, update)[0]
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
  /// save is then refused as ``GraphError/Reason/notUnique(entity:properties:object:)``. Discard, and
  /// upsert again.
  ///
  /// - Returns: The object of each value, in the order of the values.
  /// - Throws: As for one value.
  /// - Complexity: One query of the store for each 1,000 different keys, and linear in the number of
  ///   values. The lists and contexts that follow this context are then updated once.
  @discardableResult
  public func upsert<Value: Entity>(
    _ values: [Value], by key: any PartialKeyPath<Value> & Sendable,
    _ more: any PartialKeyPath<Value> & Sendable...,
    update: (_ existing: inout Value, _ new: Value) throws -> Void
  ) throws -> [Object<Value>] {
    try upsertAll(values, [key] + more, update)
  }

  private func upsertAll<Value: Entity>(
    _ values: [Value], _ paths: [any PartialKeyPath<Value> & Sendable],
    _ update: (inout Value, Value) throws -> Void
  ) throws -> [Object<Value>] {
    let attempted = "upsert \(Value.layout.name)"
    let entity = try entity(Value.self, to: attempted)
    let rule = try naming { try Value.layout.rule(of: paths, attempted) }
    let slots = try naming { try UpsertSlots(values, rule, attempted) }
    let found = try reading { try holders(of: slots, rule, entity) }
    // The value of each slot, to which the closures of all its values are applied.
    var results: [Value] = []
    results.reserveCapacity(slots.count)
    try family.permit.suspended("the closure of an upsert") {
      for (index, slot) in slots.places.enumerated() {
        if slot == results.count {
          guard let object = found[slot] else {
            results.append(values[index])
            continue
          }
          results.append(object.typed(Value.self).value)
        }
        try update(&results[slot], values[index])
      }
    }
    var objects: [Object<Value>] = []
    objects.reserveCapacity(slots.count)
    try group {
      for slot in 0..<slots.count {
        guard let object = found[slot]?.typed(Value.self) else {
          objects.append(try insert(results[slot]))
          continue
        }
        if !object.hasValue(results[slot]) { object.value = results[slot] }
        objects.append(object)
      }
    }
    return slots.places.map { objects[$0] }
  }

  /// Returns the object of each slot; nil if no object has the slot's key. Of several objects with
  /// the same key, the oldest one counts.
  private func holders(
    of slots: UpsertSlots, _ rule: ColumnIndex, _ entity: Int
  ) throws -> [GraphObject?] {
    var found = [GraphObject?](repeating: nil, count: slots.count)
    let layout = model.layouts[entity]
    for start in stride(from: 0, to: slots.keys.count, by: 1_000) {
      let condition = rule.condition(slots.keys[start...].prefix(1_000), layout)
      for object in try graphObjects(Query(entity: entity, condition: condition)) {
        let key = try object.withValue { try rule.key(in: $0, layout) }
        if let slot = key.flatMap(slots.slot), found[slot] == nil { found[slot] = object }
      }
    }
    return found
  }
}

/// The values of a rule's columns in one row.
struct UniqueKey: Hashable {
  let first: StoredValue
  let others: [StoredValue]

  fileprivate var all: [StoredValue] { [first] + others }
}

/// The objects to which the values of an upsert lead. Values with equal keys lead to the same slot.
private struct UpsertSlots {
  /// The slot of each value. Slots are numbered in the order of their first values.
  private(set) var places: [Int] = []
  /// All keys, in the order of their slots.
  private(set) var keys: [UniqueKey] = []
  private(set) var count = 0
  private var slots: [UniqueKey: Int] = [:]

  init<Value: Entity>(
    _ values: [Value], _ rule: ColumnIndex, _ attempted: String
  ) throws(GraphError) {
    let layout = Value.layout
    places.reserveCapacity(values.count)
    slots.reserveCapacity(values.count)
    for value in values {
      var value = value
      do {
        add(try StructMemory.lend(&value) { try rule.key(in: $0, layout) })
      } catch {
        let fault = error as? UnwritableKey
        let problem = Problem(fault?.property ?? "", fault?.message ?? "\(error)")
        throw GraphError(
          attempted, .invalid([InvalidObject(object: layout.name, problems: [problem])]))
      }
    }
  }

  func slot(_ key: UniqueKey) -> Int? { slots[key] }

  private mutating func add(_ key: UniqueKey?) {
    let next = count
    let slot = key.map { Self.claim(next, in: &slots[$0]) } ?? next
    places.append(slot)
    guard slot == next else { return }
    count += 1
    if let key { keys.append(key) }
  }

  /// Returns the slot that a key has, or gives it the next one.
  private static func claim(_ next: Int, in slot: inout Int?) -> Int {
    if let slot { return slot }
    slot = next
    return next
  }
}

/// A property of a key has a value that no column holds.
private struct UnwritableKey: Error {
  let property: String
  let message: String
}

extension Layout {
  /// Returns the rule that consists of the given properties.
  fileprivate func rule<Root: Entity>(
    of paths: [any PartialKeyPath<Root> & Sendable], _ attempted: String
  ) throws(GraphError) -> ColumnIndex {
    let places = paths.map { column(of: $0) }
    let wanted = Set(places.compactMap(\.self))
    let rule = uniqueRules.first { Set($0.columns) == wanted && $0.columns.count == places.count }
    if let rule { return rule }
    let names = places.map { $0.map { columns[$0].name } ?? "?" }.joined(separator: ", ")
    let rules = uniqueRules.map { $0.columns.map { columns[$0].name }.joined(separator: ", ") }
    let advice = rules.isEmpty ? "" : "; unique are: \(rules.joined(separator: "; "))"
    throw GraphError(
      attempted,
      .request(entity: name, property: names, "the schema has no rule that this is unique" + advice)
    )
  }
}

extension ColumnIndex {
  /// Returns the values of the rule's columns in a struct; nil if one of them is null.
  func key(in value: StructMemory, _ layout: Layout) throws -> UniqueKey? {
    func stored(_ column: Int) throws -> StoredValue {
      do {
        return try layout.columns[column].stored(of: value)
      } catch {
        throw UnwritableKey(
          property: layout.columns[column].name,
          message: (error as? ColumnFault)?.message ?? "\(error)")
      }
    }
    let key = UniqueKey(
      first: try stored(columns[0]), others: try columns.dropFirst().map(stored))
    return key.first.isNull || key.others.contains(where: \.isNull) ? nil : key
  }

  /// Returns the condition that selects the rows with one of the keys. The column with the most
  /// different values is compared with a list, so that there are few terms.
  func condition(_ keys: ArraySlice<UniqueKey>, _ layout: Layout) -> Condition {
    let paths = columns.map { PropertyPath(name: layout.columns[$0].name) }
    guard columns.count > 1 else { return .isIn(paths[0], keys.map(\.first)) }
    let keys = keys.map(\.all)
    let counts = columns.indices.map { place in Set(keys.map { $0[place] }).count }
    let listed = columns.indices.max { counts[$0] < counts[$1] } ?? 0
    let groups = Dictionary(grouping: keys) { key in
      key.indices.filter { $0 != listed }.map { key[$0] }
    }
    let terms = groups.map { others, keys in
      let rest = zip(paths.indices.filter { $0 != listed }, others)
      return Condition.and(
        rest.map { .compare(paths[$0], .equal, $1) }
          + [.isIn(paths[listed], keys.map { $0[listed] })])
    }
    if terms.count == 1 { return terms[0] }
    // The list comes first, because few unsaved rows meet it and need the test of all terms.
    let values = Array(Set(keys.map { $0[listed] }))
    return .and([.isIn(paths[listed], values), .or(terms)])
  }
}
