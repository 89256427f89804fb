import ObjectGraph

/// The objects to archive or copy: the given objects with all objects that they refer to.
struct Gathering {
  private var found: [ObjectIdentifier: GatheredObjects] = [:]
  private let attempted: String

  private struct GatheredObjects {
    let layout: Layout
    var objects: [Int64: GraphObject] = [:]

    /// Adds objects of the entity. Returns the objects that were not there before.
    mutating func add(_ more: [GraphObject], to attempted: String) throws -> [GraphObject] {
      objects.reserveCapacity(objects.count + more.count)
      return try more.filter { object in
        let other = objects.updateValue(object, forKey: object.key)
        guard other == nil || other === object else {
          throw GraphError(attempted, .idTaken(object.reference))
        }
        return other == nil
      }
    }
  }

  /// Creates a collection of the given objects and of all objects that can be reached from them.
  /// Throws if the given objects are of more than one context. Disconnected objects are allowed.
  init(_ objects: [GraphObject], with reach: GraphArchive.Reach, to attempted: String) throws {
    self.attempted = attempted
    var owned: [GraphObject] = []
    var referred: [GraphObject] = []
    var context: ObjectContext?
    for object in objects {
      if object.isDeleted { throw GraphError(attempted, .deleted(object.reference)) }
      if let home = object.context {
        guard context == nil || context === home else { throw GraphError(attempted, .otherContext) }
        context = home
        owned.append(object)
      } else if !contains(object) {
        // The company of an object that is there already is there, too.
        let company = object.company
        guard !company.disconnected.isEmpty else { throw GraphError(attempted, .ended) }
        _ = try add(company.disconnected)
        referred += company.connected
      }
    }
    for home in referred.compactMap(\.context) {
      guard context == nil || context === home else { throw GraphError(attempted, .otherContext) }
      context = home
    }
    guard let context else { return }
    try context.read {
      try add(owned, with: reach, in: context)
      _ = try add(referred.filter { !$0.isDeleted })
      try addReferences(in: context)
    }
  }

  private func contains(_ object: GraphObject) -> Bool {
    found[ObjectIdentifier(object.layout)]?.objects[object.key] === object
  }

  /// The objects, grouped by entity. Entities are in the order of their names, and objects in the
  /// order of their ids.
  var tables: [(layout: Layout, objects: [GraphObject])] {
    found.values.sorted { $0.layout.name < $1.layout.name }.map { table in
      (table.layout, table.objects.values.sorted { $0.key < $1.key })
    }
  }

  /// Adds objects. Returns the objects that were not there before, grouped by entity.
  private mutating func add(_ objects: [GraphObject]) throws -> [(layout: Layout, [GraphObject])] {
    try Dictionary(grouping: objects) { ObjectIdentifier($0.layout) }.compactMap { id, group in
      guard let layout = group.first?.layout else { return nil }
      // No context has checked the schema of a disconnected object.
      guard layout.mistakes.isEmpty else { throw GraphError(attempted, .schema(layout.mistakes)) }
      return (
        layout, try found[id, default: GatheredObjects(layout: layout)].add(group, to: attempted)
      )
    }
  }

  /// Adds objects. If the reach is `.members`, also adds the objects of their to-many properties,
  /// the objects of the to-many properties of those objects, and so on.
  private mutating func add(
    _ objects: [GraphObject], with reach: GraphArchive.Reach, in context: ObjectContext
  ) throws {
    var frontier = try add(objects)
    while reach == .members, !frontier.isEmpty {
      var members: [GraphObject] = []
      for (layout, owners) in frontier {
        guard let entity = context.model.index(of: layout.type) else { continue }
        for inbound in context.model.inbound[entity] where inbound.toMany != nil {
          members += try context.members(
            inbound.entity, inbound.column, of: Set(owners.lazy.map(\.key)))
        }
      }
      frontier = try add(members)
    }
  }

  /// Adds the objects to which to-one properties of the collected objects refer, the objects to
  /// which those refer, and so on. Missing objects are left out.
  private mutating func addReferences(in context: ObjectContext) throws {
    let model = context.model
    var frontier = found.values.map { (layout: $0.layout, Array($0.objects.values)) }
    while !frontier.isEmpty {
      var wanted = [Set<Int64>](repeating: [], count: model.layouts.count)
      for (layout, objects) in frontier {
        let targets = ReferenceTargets(layout, in: model)
        for object in objects {
          object.forEachReference { column, key in
            if let target = targets[column] { wanted[target].insert(key) }
          }
        }
      }
      var more: [GraphObject] = []
      for (entity, keys) in wanted.enumerated() {
        let known = found[ObjectIdentifier(model.layouts[entity])]?.objects
        let unknown = known.map { known in keys.filter { known[$0] == nil } } ?? keys
        if !unknown.isEmpty { more += try context.graphObjects(unknown, of: entity).values }
      }
      frontier = try add(more)
    }
  }
}
