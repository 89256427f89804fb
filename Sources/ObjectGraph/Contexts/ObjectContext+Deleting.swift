extension ObjectContext {
  /// Deletes an object, and does to those that refer to it what the schema's rules say.
  ///
  /// Unsaved and new objects count like any others. If a rule denies it, nothing is deleted.
  public func delete(_ object: Instance) throws {
    guard case .table(let table) = object.home, table.context === self else {
      throw GraphError(
        "delete \(object.reference)",
        object.context == nil ? .disconnected(object.reference) : .otherContext)
    }
    guard !object.isDeleted else { return }
    var plan = DeletionPlan()
    try plan.add(object, in: self)
    try group {
      for (member, column) in plan.nullified where !plan.deleted.contains(member) {
        guard try member.permitChange() else { continue }
        member.setTarget(of: column, to: nil)
        member.didChange()
      }
      for doomed in plan.order { markDeleted(doomed) }
    }
  }

  /// What one deletion does, known before it is done.
  private struct DeletionPlan {
    var deleted: Set<Instance> = []
    var order: [Instance] = []
    var nullified: [(Instance, column: Int)] = []

    mutating func add(_ first: Instance, in context: ObjectContext) throws {
      deleted.insert(first)
      order.append(first)
      var denied: [(owner: Instance, toMany: String, members: [Instance])] = []
      var next = 0
      while next < order.count {
        let object = order[next]
        next += 1
        guard case .table(let table) = object.home else { continue }
        for inbound in context.model.inbound[table.entity] {
          guard let rule = inbound.rule else { continue }
          let members = try context.members(inbound.entity, inbound.column, of: object.key)
          switch rule {
          case .nullify: nullified += members.map { ($0, inbound.column) }
          case .cascade:
            for member in members where deleted.insert(member).inserted { order.append(member) }
          case .deny: denied.append((object, inbound.toMany ?? "", members))
          }
        }
      }
      for (owner, toMany, members) in denied {
        let left = members.count { !deleted.contains($0) }
        if left > 0 {
          throw GraphError(
            "delete \(first.reference)",
            .denied(entity: owner.layout.name, property: toMany, count: left))
        }
      }
    }
  }

  /// Deletes one object, whoever refers to it.
  func markDeleted(_ object: Instance) {
    guard case .table(let table) = object.home else { return }
    undoLog?.record(object)
    switch object.phase {
    case .inserted:
      object.phase = .gone
    case .clean, .updated:
      if object.phase == .clean { object.keepBase() }
      object.phase = .deleted
      list(object, in: table)
    case .deleted, .gone, .lone:
      return
    }
    if table.isWatched { didChange(object) }
  }
}
