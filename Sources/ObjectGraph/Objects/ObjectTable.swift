/// The objects of one entity in one context.
///
/// Objects retain their table. The table retains neither its objects nor its context. So a context
/// ends when its owner releases it, and objects that outlive it still have their last value.
class AnyTable {
  /// The context that has the table; nil after the context has ended.
  private(set) weak var owner: (any TableOwner)?
  /// The index of the entity in the model.
  let entity: Int
  let layout: Layout
  /// Whether each change must be reported: to children with copies, to an undo log or to lists.
  var isWatched = false
  /// For each to-one column that was asked for, the index of unsaved objects.
  var indexes: [Int: ReferenceIndex] = [:]
  final var hasIndexes = false
  let map = IdentityMap()

  init(_ owner: any TableOwner, entity: Int, layout: Layout) {
    self.owner = owner
    self.entity = entity
    self.layout = layout
  }

  /// Returns the live object with an id; nil if there is none.
  @inline(__always)
  final func object(_ key: Int64) -> GraphObject? { map.object(key) }

  final func register(_ object: GraphObject, _ phase: GraphObject.ObjectPhase) {
    object.home = .table(self)
    object.phase = phase
    map.insert(object)
  }

  /// Removes an object from the table, so that it is disconnected.
  final func unregister(_ object: GraphObject) {
    map.remove(object)
    object.home = .nowhere
    object.phase = .lone
  }

  /// The live objects, in no order.
  final var live: [GraphObject] { map.live }

  /// Returns a clean object with the value of a row, and registers it.
  func make(_ key: Int64, _ cells: CellRow) throws -> GraphObject {
    preconditionFailure("a table is always an ObjectTable")
  }

  /// Returns an object with the value of a row that belongs to no table.
  func makeScratch(_ key: Int64, _ cells: CellRow) throws -> GraphObject {
    preconditionFailure("a table is always an ObjectTable")
  }

  /// Returns a clean object with the value and id of another, and registers it.
  func copy(_ other: GraphObject) -> GraphObject {
    preconditionFailure("a table is always an ObjectTable")
  }

  /// Replaces the value of an object by that of a row.
  func refresh(_ object: GraphObject, _ cells: CellRow) throws {}
}

final class ObjectTable<Value: Entity>: AnyTable {
  private let scratch = ScratchMemory(for: Value.self)
  /// The type of the objects. It is stored because the runtime looks up a generic class by its
  /// arguments at each use of its name.
  private let type = Object<Value>.self

  private func decode(_ key: Int64, _ cells: CellRow) throws {
    do {
      try layout.decode(cells, into: scratch.memory)
    } catch {
      throw layout.unreadableRow(key, error)
    }
  }

  override func make(_ key: Int64, _ cells: CellRow) throws -> GraphObject {
    try decode(key, cells)
    let object = type.init(key: key, moving: scratch)
    register(object, .clean)
    return object
  }

  override func makeScratch(_ key: Int64, _ cells: CellRow) throws -> GraphObject {
    try decode(key, cells)
    return type.init(key: key, moving: scratch)
  }

  override func copy(_ other: GraphObject) -> GraphObject {
    let object = type.init(key: other.key, other.typed(Value.self).storage)
    register(object, .clean)
    return object
  }

  override func refresh(_ object: GraphObject, _ cells: CellRow) throws {
    try decode(object.key, cells)
    object.typed(Value.self).storage = scratch.take(Value.self)
  }
}
