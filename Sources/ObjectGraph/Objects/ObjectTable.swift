/// The objects of one entity in one context.
///
/// Objects retain their table. The table retains neither its objects nor its context. So a context
/// ends when its owner releases it, and objects that live longer keep their last value.
class AnyTable {
  /// The context that has the table; nil after the context has ended.
  private(set) weak var owner: (any TableOwner)?
  /// The index of the entity in the model.
  let entity: Int
  let layout: Layout
  let permit: EditPermit
  /// Whether each change must be reported to children, an undo log or lists.
  var isWatched = false
  /// The indexes of unsaved objects, each stored under the index of its to-one column. An index is
  /// made when it is first needed.
  var indexes: [Int: ReferenceIndex] = [:]
  final var hasIndexes = false
  let map = IdentityMap()
  /// Whether the context has ended, so that no object may change. Each edit of an edited object asks
  /// this, and not the weak reference to the context.
  final private(set) var hasEnded = false

  init(_ owner: any TableOwner, entity: Int, layout: Layout, _ permit: EditPermit) {
    self.owner = owner
    self.entity = entity
    self.layout = layout
    self.permit = permit
  }

  /// Returns the live object with an id; nil if there is none.
  @inline(__always)
  final func object(_ key: Int64) -> GraphObject? { map.object(key) }

  /// Ends the table with its context.
  final func end() {
    hasEnded = true
    map.close()
  }

  final func register(_ object: GraphObject, _ phase: GraphObject.ObjectPhase) {
    object.home = .table(self)
    object.phase = phase
    map.insert(object)
  }

  /// Removes an object from the table. The object is then disconnected.
  final func unregister(_ object: GraphObject) {
    map.remove(object)
    object.home = .nowhere
    object.phase = .lone
  }

  /// The live objects, in any order.
  final var live: [GraphObject] { map.live }

  /// Returns an empty table of the same entity for another context.
  func emptyCopy(for owner: any TableOwner) -> AnyTable {
    preconditionFailure("a table is always an ObjectTable")
  }

  /// Returns a clean object with the value of a row, and registers the object in the table.
  func make(_ key: Int64, _ cells: CellRow) throws -> GraphObject {
    preconditionFailure("a table is always an ObjectTable")
  }

  /// Returns an object with the value of a row. The object is not registered in a table.
  func makeScratch(_ key: Int64, _ cells: CellRow) throws -> GraphObject {
    preconditionFailure("a table is always an ObjectTable")
  }

  /// Returns a clean copy of another object, with the same id, and registers the copy in the table.
  func copy(_ other: GraphObject) -> GraphObject {
    preconditionFailure("a table is always an ObjectTable")
  }

  /// Replaces the value of an object with the value of a row.
  func refresh(_ object: GraphObject, _ cells: CellRow) throws {}
}

final class ObjectTable<Value: Entity>: AnyTable {
  private let scratch = ScratchMemory(for: Value.self)
  /// The type of the objects. It is stored because the runtime would otherwise look it up at each
  /// use of the generic name.
  private let type: Object<Value>.Type

  /// Creates a table without objects.
  override init(_ owner: any TableOwner, entity: Int, layout: Layout, _ permit: EditPermit) {
    type = Object<Value>.self
    super.init(owner, entity: entity, layout: layout, permit)
  }

  private init(_ owner: any TableOwner, like other: ObjectTable<Value>) {
    type = other.type
    super.init(owner, entity: other.entity, layout: other.layout, other.permit)
  }

  override func emptyCopy(for owner: any TableOwner) -> AnyTable {
    ObjectTable(owner, like: self)
  }

  private func decode(_ key: Int64, _ cells: CellRow) throws {
    do {
      try layout.decode(cells, into: scratch.memory)
    } catch {
      throw layout.unreadableRow(key, error)
    }
  }

  override func make(_ key: Int64, _ cells: CellRow) throws -> GraphObject {
    try decode(key, cells)
    // The object gets its home at once, because replacing a home counts references (benchmark
    // `fetch objects`).
    let object = type.init(key: key, moving: scratch, home: .table(self))
    object.phase = .clean
    map.insert(object)
    return object
  }

  override func makeScratch(_ key: Int64, _ cells: CellRow) throws -> GraphObject {
    try decode(key, cells)
    return type.init(key: key, moving: scratch, home: .nowhere)
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
