import ObjectGraph

extension GraphArchive {
  /// What ids copies get.
  public enum IDs: Hashable, Sendable {
    /// Their originals': for another store, so that references from elsewhere go on meaning them.
    case kept
    /// New ones: to have objects twice, in the same store too.
    case renewed
  }

  /// What was copied.
  public struct Copies {
    /// The copies of the objects given, in that order; of a whole context, all copies.
    public let objects: [Instance]
    /// References that lead nowhere any more.
    public let notes: [Note]
  }

  /// Inserts copies of objects, with all they refer to, into another context.
  ///
  /// References among the copied lead to copies. A reference to something else stays if the context
  /// has that object, as it has when both are of one store; otherwise the copy refers to nothing, and
  /// a note says so. Nothing is saved.
  ///
  /// - Throws: `GraphError`, nothing inserted: `idTaken`, naming the objects, if ids are kept that the
  ///   context or its store already has; `unknownEntity`; `deleted`, `otherContext`.
  @discardableResult
  public static func copy(
    _ objects: [Instance], into context: ObjectContext, ids: IDs = .kept,
    with reach: Reach = .members
  ) throws -> Copies {
    let attempted = "copy objects"
    let tables = try Gathering(objects, with: reach, to: attempted).tables
    let copy = try GraphCopy(tables, into: context, ids, attempted)
    return Copies(objects: objects.compactMap(copy.copy), notes: copy.notes)
  }

  /// Inserts copies of everything in a context, as of an archive's draft, into another context.
  ///
  /// - Throws: As ``copy(_:into:ids:with:)``.
  @discardableResult
  public static func copy(
    everythingIn source: ObjectContext, into context: ObjectContext, ids: IDs = .kept
  ) throws -> Copies {
    let tables = try source.read {
      try source.model.layouts.enumerated().map { entity, layout in
        (layout: layout, objects: try source.instances(entity, after: 0, limit: nil))
      }
    }
    let copy = try GraphCopy(tables, into: context, ids, "copy objects")
    return Copies(objects: tables.flatMap(\.objects).compactMap(copy.copy), notes: copy.notes)
  }
}

/// One copying of objects into a context.
private struct GraphCopy {
  private let context: ObjectContext
  private let attempted: String
  private var copies: [Original: Instance] = [:]
  private var order: [Instance] = []
  private(set) var notes: [GraphArchive.Note] = []

  private struct Original: Hashable {
    let entity: Int
    let key: Int64
  }

  init(
    _ tables: [(layout: Layout, objects: [Instance])], into context: ObjectContext,
    _ ids: GraphArchive.IDs, _ attempted: String
  ) throws {
    self.context = context
    self.attempted = attempted
    var taken: [String] = []
    for (layout, objects) in tables where !objects.isEmpty {
      guard let entity = context.model.index(of: layout.type) else {
        throw GraphError(attempted, .unknownEntity(layout.name))
      }
      if ids == .kept { taken += try self.taken(objects, entity) }
      for (object, copy) in zip(objects, Self.copies(layout.type, objects, ids)) {
        copies[Original(entity: entity, key: object.key)] = copy
        order.append(copy)
      }
    }
    guard taken.isEmpty else { throw GraphError(attempted, .idTaken(Self.list(taken))) }
    try redirect(try strangers())
    try context.group { for copy in order { try context.insert(copy) } }
  }

  func copy(_ object: Instance) -> Instance? {
    context.model.index(of: object.layout.type).flatMap {
      copies[Original(entity: $0, key: object.key)]
    }
  }

  private static func copies<Value: Entity>(
    _: Value.Type, _ objects: [Instance], _ ids: GraphArchive.IDs
  ) -> [Instance] {
    objects.compactMap { $0 as? Object<Value> }.map {
      switch ids {
      case .kept: Object($0.value, id: $0.id)
      case .renewed: Object($0.value)
      }
    }
  }

  private func taken(_ objects: [Instance], _ entity: Int) throws -> [String] {
    let there = try context.instances(objects.map(\.key), of: entity)
    return objects.filter { there[$0.key] != nil || context.isTaken($0.key, entity) }
      .map(\.reference)
  }

  private static func list(_ names: [String]) -> String {
    let first = names.prefix(3).joined(separator: ", ")
    return names.count > 3 ? "\(first) and \(names.count - 3) more" : first
  }

  private func target(_ object: Instance, _ column: Int, _ key: Int64) -> Original? {
    object.layout.columns[column].target.flatMap(context.model.index(of:))
      .map { Original(entity: $0, key: key) }
  }

  /// What copies refer to that was not copied and that the context has.
  private func strangers() throws -> Set<Original> {
    var wanted: [Int: Set<Int64>] = [:]
    for copy in order {
      copy.forEachReference { column, key in
        guard let target = target(copy, column, key), copies[target] == nil else { return }
        wanted[target.entity, default: []].insert(key)
      }
    }
    var found: Set<Original> = []
    for (entity, keys) in wanted {
      for key in try context.instances(keys, of: entity).keys {
        found.insert(Original(entity: entity, key: key))
      }
    }
    return found
  }

  private mutating func redirect(_ strangers: Set<Original>) throws {
    var lost: [GraphArchive.Note] = []
    for copy in order {
      copy.redirectReferences { column, key in
        guard let target = target(copy, column, key) else { return nil }
        if let other = copies[target] { return other.key }
        if strangers.contains(target) { return key }
        lost.append(
          .lostReference(
            object: copy.reference, property: copy.layout.columns[column].name,
            target: context.model.name(target.entity, key)))
        return nil
      }
    }
    notes = lost
  }
}
