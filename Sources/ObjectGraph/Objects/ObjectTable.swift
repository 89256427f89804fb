/// The objects of one entity in one context.
///
/// Objects keep their table; it does not keep them, nor its context. So a context goes when its
/// owner lets go of it, and objects that outlive it still read their last value.
class AnyTable {
  /// The context whose table it is; nil when that has ended.
  private(set) weak var owner: (any TableOwner)?
  /// The entity's place in the model.
  let entity: Int
  let layout: Layout
  /// Whether somebody must hear of each change: children with copies, an undo log, lists.
  var isWatched = false
  /// For each to-one column that was asked for, an index of unsaved objects.
  var indexes: [Int: ReferenceIndex] = [:]
  final var hasIndexes = false
  let map = IdentityMap()

  init(_ owner: any TableOwner, entity: Int, layout: Layout) {
    self.owner = owner
    self.entity = entity
    self.layout = layout
  }

  /// The live object with an id.
  @inline(__always)
  final func object(_ key: Int64) -> GraphObject? { map.object(key) }

  final func register(_ object: GraphObject, _ phase: GraphObject.ObjectPhase) {
    object.home = .table(self)
    object.phase = phase
    map.insert(object)
  }

  /// Takes an object out, so that it is disconnected.
  final func unregister(_ object: GraphObject) {
    map.remove(object)
    object.home = .nowhere
    object.phase = .lone
  }

  /// The live objects, in no order.
  final var live: [GraphObject] { map.live }

  /// A clean object from a row.
  func make(_ key: Int64, _ cells: CellRow) throws -> GraphObject {
    preconditionFailure("a table is always an ObjectTable")
  }

  /// An object of nobody's, from a row.
  func makeScratch(_ key: Int64, _ cells: CellRow) throws -> GraphObject {
    preconditionFailure("a table is always an ObjectTable")
  }

  /// A clean object with the value of another.
  func copy(_ other: GraphObject) -> GraphObject {
    preconditionFailure("a table is always an ObjectTable")
  }

  /// Gives an object the value of a row.
  func refresh(_ object: GraphObject, _ cells: CellRow) throws {}
}

final class ObjectTable<Value: Entity>: AnyTable {
  private let scratch = ScratchMemory(for: Value.self)
  /// Looked up once: the run time looks for a generic class by its arguments at each use of its
  /// name, which takes as long as the allocation.
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
