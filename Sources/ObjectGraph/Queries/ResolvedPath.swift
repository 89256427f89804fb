/// Where a property path leads in a model: places instead of names.
package struct ResolvedPath: Sendable {
  /// The to-one relations on the way.
  package let hops: [Hop]
  /// The entity at the end of the way.
  package let entity: Int
  /// Its column; nil is the id.
  package let column: Int?
  /// The kind of the values that it holds.
  package let kind: ColumnKind
  /// The order of these values.
  package let order: ColumnOrder

  init(hops: [Hop], entity: Int, column: Int?, kind: ColumnKind) {
    self.hops = hops
    self.entity = entity
    self.column = column
    self.kind = kind
    order = kind.order
  }

  /// The form of the cells that it holds.
  package var storage: Cell.Form { kind.cellForm }

  /// The id of the row whose column it is.
  package var row: ResolvedPath {
    ResolvedPath(hops: hops, entity: entity, column: nil, kind: .reference)
  }

  /// One step to the object that a column refers to.
  package struct Hop: Sendable, Hashable {
    package let column: Int
    /// The entity that the column refers to.
    package let entity: Int
  }
}

/// Where a to-many path leads: the objects of `entity` whose `column` refers to the hops' end.
package struct ManyPlace: Sendable {
  package let hops: [ResolvedPath.Hop]
  package let entity: Int
  package let column: Int

  /// The id of the object that has the objects, seen from an entity.
  package func owner(from root: Int) -> ResolvedPath {
    ResolvedPath(hops: hops, entity: hops.last?.entity ?? root, column: nil, kind: .reference)
  }
}

extension Model {
  /// Throws for a name that the schema lacks, as an archived request of an older program may have.
  /// A property's former name is still good.
  package func place(_ path: PropertyPath, from entity: Int) throws(GraphError) -> ResolvedPath {
    let (hops, end) = try hops(path.relations, from: entity)
    if path.name == "id" {
      return ResolvedPath(hops: hops, entity: end, column: nil, kind: .reference)
    }
    guard let index = layouts[end].column(everNamed: path.name) else {
      throw unusable(end, path.name, "there is no such property")
    }
    return ResolvedPath(
      hops: hops, entity: end, column: index, kind: layouts[end].columns[index].kept)
  }

  /// Throws for a name that the schema lacks.
  package func place(_ path: ToManyPath, from entity: Int) throws(GraphError) -> ManyPlace {
    let (hops, end) = try hops(path.relations, from: entity)
    guard let relation = layouts[end].toMany(named: path.name), let column = relation.inverse,
      let target = index(of: relation.target)
    else { throw unusable(end, path.name, "there is no such to-many property") }
    return ManyPlace(hops: hops, entity: target, column: column)
  }

  /// A property that rows can be ordered by.
  package func orderable(_ path: PropertyPath, from entity: Int) throws(GraphError) -> ResolvedPath
  {
    let place = try place(path, from: entity)
    if place.order == .none { throw unusable(place.entity, path.name, "JSON has no order") }
    return place
  }

  /// A property that can be added up.
  package func number(_ path: PropertyPath, from entity: Int) throws(GraphError) -> ResolvedPath {
    let place = try place(path, from: entity)
    guard place.kind.isNumeric else {
      throw unusable(place.entity, path.name, "it is not a number")
    }
    return place
  }

  private func hops(
    _ names: [String], from entity: Int
  ) throws(GraphError) -> (hops: [ResolvedPath.Hop], end: Int) {
    guard names.count <= RequestLimit.relations.most else {
      throw .excess(.relations, fetching: layouts[entity].name)
    }
    var hops: [ResolvedPath.Hop] = []
    var end = entity
    for name in names {
      guard let column = layouts[end].column(everNamed: name),
        let target = layouts[end].columns[column].target.flatMap(index(of:))
      else { throw unusable(end, name, "there is no such to-one property") }
      hops.append(ResolvedPath.Hop(column: column, entity: target))
      end = target
    }
    return (hops, end)
  }

  /// The error for a request that the schema does not allow.
  package func unusable(_ entity: Int, _ property: String, _ message: String) -> GraphError {
    let name = layouts[entity].name
    return GraphError("fetch \(name)", .request(entity: name, property: property, message))
  }
}
