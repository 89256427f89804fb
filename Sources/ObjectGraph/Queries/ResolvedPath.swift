/// The property at the end of a path, given by indices in a model instead of names.
package struct ResolvedPath: Sendable {
  /// The to-one relations of the path, in order.
  package let hops: [Hop]
  /// The entity at the end of the relations.
  package let entity: Int
  /// The index of the property's column; nil for the id.
  package let column: Int?
  /// The kind of the column's values.
  package let kind: ColumnKind
  /// The order in which the column's values are compared.
  package let order: ColumnOrder

  init(hops: [Hop], entity: Int, column: Int?, kind: ColumnKind) {
    self.hops = hops
    self.entity = entity
    self.column = column
    self.kind = kind
    order = kind.order
  }

  /// The form of the column's cells.
  package var storage: ColumnCell.Form { kind.cellForm }

  /// The path to the id of the row that has the property.
  package var row: ResolvedPath {
    ResolvedPath(hops: hops, entity: entity, column: nil, kind: .reference)
  }

  /// One to-one relation of a path, from a column to the object to which it refers.
  package struct Hop: Sendable, Hashable {
    package let column: Int
    /// The entity to which the column refers.
    package let entity: Int

    package init(column: Int, entity: Int) { (self.column, self.entity) = (column, entity) }
  }
}

/// A to-many property at the end of a path, given by indices in a model. Its objects are the rows
/// of `entity` whose `column` refers to the owner. The owner is at the end of the hops, which are
/// the path's to-one relations.
package struct ManyPlace: Sendable {
  package let hops: [ResolvedPath.Hop]
  package let entity: Int
  package let column: Int

  /// Returns a path from an entity to the id of the owner, the object that has the to-many
  /// property.
  package func owner(from root: Int) -> ResolvedPath {
    ResolvedPath(hops: hops, entity: hops.last?.entity ?? root, column: nil, kind: .reference)
  }
}

extension Model {
  /// Returns the property to which a path leads. Former names of a property are valid too.
  ///
  /// - Throws: An error if the schema lacks a name of the path. This may happen for an archived
  ///   request of an older program.
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

  /// Returns the to-many property to which a path leads.
  ///
  /// - Throws: An error if the schema lacks a name of the path.
  package func place(_ path: ToManyPath, from entity: Int) throws(GraphError) -> ManyPlace {
    let (hops, end) = try hops(path.relations, from: entity)
    guard let relation = layouts[end].toMany(named: path.name), let column = relation.inverse,
      let target = index(of: relation.target)
    else { throw unusable(end, path.name, "there is no such to-many property") }
    return ManyPlace(hops: hops, entity: target, column: column)
  }

  /// Returns the property to which a path leads, for an order.
  ///
  /// - Throws: An error if rows cannot be ordered by the property, or if the schema lacks a name of
  ///   the path.
  package func orderable(_ path: PropertyPath, from entity: Int) throws(GraphError) -> ResolvedPath
  {
    let place = try place(path, from: entity)
    if place.order == .none { throw unusable(place.entity, path.name, "JSON has no order") }
    return place
  }

  /// Returns the property of an order's key.
  ///
  /// - Throws: An error if rows cannot be ordered so by the property, or if the schema lacks a name
  ///   of the path.
  package func orderable(_ term: OrderTerm, from entity: Int) throws(GraphError) -> ResolvedPath {
    let place = try orderable(term.property, from: entity)
    if let order = term.textOrder, place.kind != .string {
      throw unusable(
        place.entity, term.property.name, "it is not a text, so it has no \(order.rawValue) order")
    }
    return place
  }

  /// Returns the numeric property to which a path leads.
  ///
  /// - Throws: An error if the property is not a number, or if the schema lacks a name of the path.
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

  /// Returns the error for a request that the schema does not allow.
  package func unusable(_ entity: Int, _ property: String, _ message: String) -> GraphError {
    let name = layouts[entity].name
    return GraphError("fetch \(name)", .request(entity: name, property: property, message))
  }
}
