extension ObjectContext {
  /// Deletes an object, and applies the schema's delete rules to the objects that refer to it.
  ///
  /// The rules treat unsaved objects and unsaved changes as if they were saved. If a rule denies
  /// the deletion, nothing is deleted.
  ///
  /// - Returns: What was deleted. It can be put back, also after a save.
  /// - Complexity: At each level of a cascade, one query for each relation. A level of more than
  ///   500 objects needs one query for each relation and each 500 objects.
  @discardableResult
  public func delete(_ object: GraphObject) throws -> Deletion {
    try delete(CollectionOfOne(object))
  }

  /// Deletes many objects at once, as ``delete(_:)-(GraphObject)`` deletes one.
  ///
  /// ```swift
  /// try context.delete(context.fetch(Card.self, where: { $0.due < longAgo }))
  /// ```
  ///
  /// If a rule denies one of the deletions, nothing is deleted. A rule that denies a deletion while
  /// there are related objects does not count those that are deleted too.
  ///
  /// - Returns: What was deleted; an empty value if there was nothing to delete.
  /// - Complexity: As for one object: the objects are the first level of a cascade. The lists and
  ///   contexts that follow this context are updated once.
  @discardableResult
  public func delete<Objects: Sequence>(_ objects: Objects) throws -> Deletion
  where Objects.Element: GraphObject {
    var first: [GraphObject] = []
    for object in objects {
      guard case .table(let table) = object.home, table.context === self else {
        throw named(
          GraphError(
            "delete \(object.reference)",
            object.context == nil ? .disconnected(object.reference) : .otherContext))
      }
      if !object.isDeleted { first.append(object) }
    }
    guard let one = first.first else { return Deletion([], in: self) }
    try permitChanges("delete \(one.reference)")
    return try naming { try deleteWithRules(first) }
  }

  private func deleteWithRules(_ objects: [GraphObject]) throws -> Deletion {
    var plan = DeletionPlan()
    try plan.add(objects, in: self)
    let newAbove = newAbove(of: plan.order)
    var emptied: [EmptiedReference] = []
    try group {
      // The objects are deleted before references to them are set to nil. The contexts below can
      // then see that a delete rule has changed the references.
      for doomed in plan.order { markDeleted(doomed) }
      for (member, column) in plan.nullified where !plan.deleted.contains(member) {
        try member.permitChange()
        if let owner = member.target(of: column) {
          emptied.append(EmptiedReference(object: member, column: column, owner: owner))
        }
        member.setTarget(of: column, to: nil)
        member.base?.emptied.insert(column)
        family.hasEmptied = true
        member.didChange()
      }
    }
    return Deletion(plan.order, emptied, newAbove: newAbove, in: self)
  }

  /// Returns the objects of contexts above that have the ids of some objects, and that no store had.
  private func newAbove(of objects: [GraphObject]) -> [GraphObject] {
    var found: [GraphObject] = []
    var above = parent
    while let context = above {
      for object in objects where !context.changes.lists[object.tableEntity].isEmpty {
        if let new = context.held(object.key, object.tableEntity), new.isNew { found.append(new) }
      }
      above = context.parent
    }
    return found
  }

  /// The effects of a deletion, collected before any of them is applied.
  private struct DeletionPlan {
    var deleted: Set<GraphObject> = []
    var order: [GraphObject] = []
    var nullified: [(GraphObject, column: Int)] = []

    mutating func add(_ objects: [GraphObject], in context: ObjectContext) throws {
      order = objects.filter { deleted.insert($0).inserted }
      let attempted = "delete " + (order.count == 1 ? order[0].reference : order.count.of("object"))
      var denied: [(owner: GraphObject, toMany: String, members: [GraphObject])] = []
      // The search goes level by level. It then needs one query for each relation of a level,
      // instead of one for each object.
      var level = order
      while !level.isEmpty {
        let owners = Dictionary(grouping: level, by: \.tableEntity)
        level = []
        for (entity, owners) in owners.sorted(by: { $0.key < $1.key }) {
          let keys = Set(owners.map(\.key))
          for inbound in context.model.inbound[entity] {
            guard let rule = inbound.rule else { continue }
            let members = try context.members(inbound.entity, inbound.column, of: keys)
            switch rule {
            case .nullify: nullified += members.map { ($0, inbound.column) }
            case .cascade:
              for member in members where deleted.insert(member).inserted { level.append(member) }
            case .deny:
              let byOwner = Dictionary(grouping: members) { $0.target(of: inbound.column) }
              for owner in owners {
                denied.append((owner, inbound.toMany ?? "", byOwner[owner.key] ?? []))
              }
            }
          }
        }
        order += level
      }
      for (owner, toMany, members) in denied {
        let left = members.count { !deleted.contains($0) }
        if left > 0 {
          throw GraphError(
            attempted,
            .denied(entity: owner.layout.name, property: toMany, count: left))
        }
      }
    }
  }
}

extension GraphObject {
  /// The index of the object's entity in its context's model; -1 if the object is in no context.
  fileprivate var tableEntity: Int {
    if case .table(let table) = home { table.entity } else { -1 }
  }
}
