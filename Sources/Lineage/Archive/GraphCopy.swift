import ObjectGraph

/// One operation that copies objects into a context.
struct GraphCopy {
  private let context: ObjectContext
  /// For each entity of the context, the copies, stored under the ids of their originals.
  private var copies: [[Int64: GraphObject]]
  private var order: [(entity: Int, copies: [GraphObject])] = []
  private(set) var notes: [GraphArchive.Note] = []

  /// Copies all objects and inserts the copies. If it throws, no copy was inserted.
  init(
    _ tables: [(layout: Layout, objects: [GraphObject])], into context: ObjectContext,
    _ ids: GraphArchive.IDs, _ attempted: String
  ) throws {
    self.context = context
    copies = Array(repeating: [:], count: context.model.layouts.count)
    var taken: [String] = []
    for (layout, objects) in tables where !objects.isEmpty {
      guard let entity = context.model.index(of: layout.type) else {
        throw GraphError(attempted, .unknownEntity(layout.name))
      }
      if ids == .kept { taken += try self.taken(objects, entity) }
      let copies = Self.copies(layout.type, objects, ids)
      self.copies[entity] = Dictionary(
        zip(objects.lazy.map(\.key), copies), uniquingKeysWith: { one, _ in one })
      order.append((entity, copies))
    }
    guard taken.isEmpty else { throw GraphError(attempted, .idTaken(taken.list(first: 3))) }
    try redirect()
    try context.group {
      for (_, copies) in order {
        for copy in copies { try context.insert(copy) }
      }
    }
  }

  /// Returns the copy of an object; nil if the object was not copied.
  func copy(_ object: GraphObject) -> GraphObject? {
    context.model.index(of: object.layout.type).flatMap { copies[$0][object.key] }
  }

  private static func copies<Value: Entity>(
    _: Value.Type, _ objects: [GraphObject], _ ids: GraphArchive.IDs
  ) -> [GraphObject] {
    objects.compactMap { $0 as? Object<Value> }.map {
      switch ids {
      case .kept: Object($0.value, id: $0.id)
      case .renewed: Object($0.value)
      }
    }
  }

  private func taken(_ objects: [GraphObject], _ entity: Int) throws -> [String] {
    let there = try context.graphObjects(objects.map(\.key), of: entity)
    return objects.filter { there[$0.key] != nil || context.isTaken($0.key, entity) }
      .map(\.reference)
  }

  /// Redirects the references of the copies. Each reference then leads to a copy, to an object that
  /// the context has, or to nothing.
  private mutating func redirect() throws {
    let model = context.model
    let targets = order.map { ReferenceTargets(model.layouts[$0.entity], in: model) }
    var strangers = [Set<Int64>](repeating: [], count: copies.count)
    for ((_, copies), targets) in zip(order, targets) {
      for copy in copies {
        copy.forEachReference { column, key in
          guard let target = targets[column], self.copies[target][key] == nil else { return }
          strangers[target].insert(key)
        }
      }
    }
    let known = try strangers.enumerated().map { try context.graphObjects($1, of: $0) }
    var lost: [GraphArchive.Note] = []
    for ((_, copies), targets) in zip(order, targets) {
      for copy in copies {
        copy.redirectReferences { column, key in
          guard let target = targets[column] else { return nil }
          if let other = self.copies[target][key] { return other.key }
          if known[target][key] != nil { return key }
          lost.append(
            .lostReference(
              object: copy.reference, property: copy.layout.columns[column].name,
              target: context.model.name(target, key)))
          return nil
        }
      }
    }
    notes = lost
  }
}

/// For each column of an entity, the index of the entity to which it refers; nil for an attribute.
struct ReferenceTargets {
  private let entities: [Int?]

  init(_ layout: Layout, in model: Model) {
    entities = layout.columns.map { $0.target.flatMap(model.index(of:)) }
  }

  subscript(column: Int) -> Int? { entities[column] }
}
