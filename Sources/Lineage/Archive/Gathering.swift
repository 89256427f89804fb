import ObjectGraph

/// Objects with all they refer to.
struct Gathering {
  /// For each entity, its objects by id.
  private var found: [String: Table] = [:]
  private let attempted: String

  private struct Table {
    let layout: Layout
    var objects: [Int64: Instance] = [:]
  }

  /// Gathers what can be reached from objects of one context, or of none.
  init(_ objects: [Instance], with reach: GraphArchive.Reach, to attempted: String) throws {
    self.attempted = attempted
    var owned: [Instance] = []
    var referred: [Instance] = []
    var context: ObjectContext?
    for object in objects {
      if object.isDeleted { throw GraphError(attempted, .deleted(object.reference)) }
      let company = object.company
      for companion in company.disconnected { _ = try add(companion) }
      if company.disconnected.isEmpty {
        owned.append(object)
      } else {
        referred += company.connected
      }
    }
    for object in owned + referred {
      guard let home = object.context else { throw GraphError(attempted, .ended) }
      guard context == nil || context === home else { throw GraphError(attempted, .otherContext) }
      context = home
    }
    guard let context else { return }
    try context.read {
      try addAll(owned, with: reach, in: context)
      for object in referred where !object.isDeleted { _ = try add(object) }
      try addReferences(in: context)
    }
  }

  /// Each entity's objects in the order of ids, the entities in the order of names.
  var tables: [(layout: Layout, objects: [Instance])] {
    found.values.sorted { $0.layout.name < $1.layout.name }.map { table in
      (table.layout, table.objects.values.sorted { $0.key < $1.key })
    }
  }

  private mutating func add(_ object: Instance) throws -> Bool {
    let layout = object.layout
    let other = found[layout.name, default: Table(layout: layout)].objects
      .updateValue(object, forKey: object.key)
    guard other == nil || other === object else {
      throw GraphError(attempted, .idTaken(object.reference))
    }
    return other == nil
  }

  private func has(_ key: Int64, _ layout: Layout) -> Bool {
    found[layout.name]?.objects[key] != nil
  }

  /// Adds objects and, if the reach says so, those of their to-many properties, and so on.
  private mutating func addAll(
    _ objects: [Instance], with reach: GraphArchive.Reach, in context: ObjectContext
  ) throws {
    var frontier = try objects.filter { try add($0) }
    while reach == .members, !frontier.isEmpty {
      let byEntity = Dictionary(grouping: frontier) { context.model.index(of: $0.layout.type) }
      frontier = []
      for case (let entity?, let owners) in byEntity {
        let keys = Set(owners.map(\.key))
        for inbound in context.model.inbound[entity] where inbound.toMany != nil {
          frontier += try context.members(inbound.entity, inbound.column, of: keys)
            .filter { try add($0) }
        }
      }
    }
  }

  /// Adds what to-one properties refer to until nothing is new. What is not there is left out.
  private mutating func addReferences(in context: ObjectContext) throws {
    var frontier = found.values.flatMap(\.objects.values)
    while !frontier.isEmpty {
      var wanted: [Int: Set<Int64>] = [:]
      for object in frontier {
        object.forEachReference { column, key in
          guard let target = object.layout.columns[column].target,
            let entity = context.model.index(of: target), !has(key, target.layout)
          else { return }
          wanted[entity, default: []].insert(key)
        }
      }
      frontier = []
      for (entity, keys) in wanted {
        for object in try context.instances(keys, of: entity).values where try add(object) {
          frontier.append(object)
        }
      }
    }
  }
}
