/// A place to work with objects: fetch them, change them, and save or forget the changes.
///
/// A root context works on a store, a child on its parent's objects:
///
/// ```swift
/// let context = store.makeContext()
/// let editing = context.makeChild()
/// let card = try editing.object(with: id)
/// card.question = "2 + 3?"
/// try editing.save()        // now context has it, unsaved
/// try context.save()        // now the store has it
/// ```
///
/// A context with its objects is confined to whoever made it, or received it whole; the compiler
/// refuses what would share it.
///
/// Complexity: a child costs nothing until it is used, then one copy of each object that it uses.
public final class ObjectContext {
  /// The context whose objects this one copies; nil for a root.
  public let parent: ObjectContext?
  package let store: (any ObjectStore)?
  package let model: Model
  /// Where the commits of others wait; a root's.
  package let inbox: Inbox?

  /// A name for people: descriptions, explanations, drift and errors show it.
  public var name: String?

  /// What happens when a property was changed both here and by somebody else.
  public var conflictPolicy: ConflictPolicy = .error

  /// Hears what could not be thrown: a property that could not be read or written, unsaved changes
  /// at the end of the context. Otherwise it is written to standard error.
  public var onFault: (@Sendable (GraphError) -> Void)?

  /// For each entity, its objects, once there are any.
  let tables: TableList
  /// Objects that differ from the parent or the store, for each entity; some may differ no more.
  var listed: [[GraphObject]]
  private var children: [Child] = []
  /// How many children there may be before those that are gone are taken out.
  private var childLimit = 8
  var readDepth = 0
  /// What was fetched along, here and below, kept until the unit of work ends; a root's.
  var kept: [GraphObject] = []
  var undoLog: UndoLog?
  var followers: [WeakFollower] = []
  /// The store's token while which it tells of commits of other processes; a root's.
  private var telling: AnyObject?
  /// What a policy has decided in the save that is under way, as it was before.
  var undecided: [ObjectIdentifier: Undecided] = [:]
  let family: ContextFamily
  /// Whether the parent knows that this context has objects or followers.
  private var isActive = false
  /// The row that is being read.
  let cells: CellRow

  private struct Child {
    weak var context: ObjectContext?
    /// Which one it is, told without looking whether it lives.
    let identity: ObjectIdentifier

    init(_ context: ObjectContext) {
      self.context = context
      identity = ObjectIdentifier(context)
    }
  }

  private init(
    parent: ObjectContext?, store: (any ObjectStore)?, model: Model, inbox: Inbox?
  ) {
    self.parent = parent
    self.store = store
    self.model = model
    self.inbox = inbox
    family = parent?.family ?? ContextFamily(entityCount: model.layouts.count)
    tables = TableList(count: model.layouts.count)
    listed = Array(repeating: [], count: model.layouts.count)
    cells = CellRow(count: model.layouts.map(\.columns.count).max() ?? 0)
  }

  /// The root context of a store.
  package convenience init(store: any ObjectStore) {
    let inbox = Inbox()
    self.init(parent: nil, store: store, model: store.model, inbox: inbox)
    store.subscribe(inbox)
  }

  /// A draft: a context without a store, for objects of a form, an archive or an import.
  ///
  /// Its objects can be changed, fetched and undone; saving throws. `GraphArchive` saves them to a
  /// file and copies them into another context.
  public convenience init(draftOf entities: [any Entity.Type]) throws {
    self.init(parent: nil, store: nil, model: try Model(entities), inbox: nil)
  }

  /// A context that works on copies of this one's objects.
  public func makeChild() -> ObjectContext {
    let child = ObjectContext(parent: self, store: nil, model: model, inbox: nil)
    child.conflictPolicy = conflictPolicy
    child.onFault = onFault
    return child
  }

  /// Has the parent tell this context of changes from now on. A context that was never used is not
  /// told, so that it costs its parent nothing.
  func activate() {
    guard !isActive else { return }
    isActive = true
    guard let parent else { return }
    parent.activate()
    if parent.children.count >= parent.childLimit { parent.sweepChildren() }
    parent.children.append(Child(self))
    for table in parent.tables.all { table.isWatched = true }
  }

  /// Takes out children that are gone, so that nobody asks each of them about each change.
  func sweepChildren() {
    children.removeAll { $0.context == nil }
    childLimit = max(8, children.count * 2)
  }

  deinit {
    for table in tables.all { table.map.close() }
    // A draft has nowhere to save to, so that its end loses nothing that was promised.
    guard store != nil || parent != nil else { return }
    let unsaved = listed.joined().count(where: \.isUnsaved)
    if unsaved > 0 {
      let fault = GraphError("keep \(unsaved.of("unsaved object"))", .ended)
      report(fault)
    }
  }

  /// The context at the top.
  package var root: ObjectContext {
    var context = self
    while let parent = context.parent { context = parent }
    return context
  }

  /// Whether a save would have anything to do.
  ///
  /// - Complexity: Constant on average: objects found without changes are no longer listed.
  public var hasUnsavedChanges: Bool {
    for entity in listed.indices {
      // A new object that went away stays listed until a save or discard ends it.
      var rest = listed[entity].count
      while rest > 0 {
        let object = listed[entity][rest - 1]
        if object.isUnsaved { return true }
        rest -= 1
        object.becomeCleanIfUnedited()
        guard object.phase == .clean else { continue }
        object.isListed = false
        listed[entity].swapAt(rest, listed[entity].count - 1)
        listed[entity].removeLast()
      }
    }
    return false
  }

  /// Whether a context below has changes that it has not saved into this one.
  public var hasUnsavedChangesBelow: Bool {
    var below = liveChildren
    while let context = below.popLast() {
      if context.hasUnsavedChanges { return true }
      below += context.liveChildren
    }
    return false
  }

  /// By place: a copy of a weak reference takes longer than what is done with the child; and a value
  /// that ends meanwhile may do anything in its deinit, also to the list.
  private func forEachChild(
    except source: ObjectContext? = nil, _ body: (ObjectContext) -> Void
  ) {
    let known = source.map { ObjectIdentifier($0) }
    var place = 0
    while place < children.count {
      if children[place].identity != known, let child = children[place].context { body(child) }
      place += 1
    }
  }

  var liveChildren: [ObjectContext] { children.compactMap(\.context) }
}

extension ObjectContext {
  /// The table of an entity of the model.
  @inline(__always)
  func table(_ entity: Int) -> AnyTable { tables[entity] ?? makeTable(entity) }

  private func makeTable(_ entity: Int) -> AnyTable {
    let layout = model.layouts[entity]
    func make<Value: Entity>(_: Value.Type) -> AnyTable {
      ObjectTable<Value>(self, entity: entity, layout: layout)
    }
    let table = make(layout.type)
    table.isWatched = isWatching
    tables.add(table)
    activate()
    return table
  }

  /// The place of an entity in the model, or the error that there is none.
  func entity(_ type: any Entity.Type, to attempted: @autoclosure () -> String) throws -> Int {
    if let index = model.index(of: type) { return index }
    throw named(GraphError(attempted(), .unknownEntity(type.layout.name)))
  }

  /// Remembers that an object differs from the parent or the store.
  func list(_ object: GraphObject, in table: AnyTable) {
    guard !object.isListed else { return }
    object.isListed = true
    listed[table.entity].append(object)
    table.noteEdit(of: object)
  }

  private var isWatching: Bool {
    undoLog != nil || children.contains { $0.context != nil }
      || followers.contains { $0.follower != nil }
  }

  /// Makes tables tell of each change, or stop.
  func watch() {
    let isWatching = isWatching
    for table in tables.all { table.isWatched = isWatching }
  }

  /// Called before a watched object changes.
  func willChange(_ object: GraphObject) { undoLog?.record(object) }

  /// Called after a watched object changed: lists hear of it, and children that have not changed
  /// their copy follow.
  func didChange(_ object: GraphObject) {
    guard case .table(let table) = object.home else { return }
    didChange(object, in: table, except: nil)
  }

  /// The same, where a child is known to have the change already.
  func didChange(_ object: GraphObject, in table: AnyTable, except source: ObjectContext?) {
    tell(object.key, table.entity)
    forEachChild(except: source) { $0.follow(object, in: table.entity) }
    family.tellOfEnd()
  }

  /// Takes over a change of the object above, as far as it is not edited here.
  func follow(_ original: GraphObject, in entity: Int) {
    let copy = tables[entity]?.object(original.key)
    if let copy {
      guard copy.phase != .inserted || copy.hasBase else { return }
      follow(original, by: copy)
    }
    tell(original.key, entity)
    forEachChild { $0.follow(copy ?? original, in: entity) }
  }

  func follow(_ original: GraphObject, by copy: GraphObject) {
    if copy.isListed, case .table(let table) = copy.home { table.dropIndexes() }
    if original.isDeleted { return copy.followDeletion() }
    copy.follow(original) { isDeletedOnBothSides($0, $1, of: copy) }
  }

  /// Whether an object is deleted here and above to which a to-one column referred.
  func isDeletedOnBothSides(_ column: Int, _ key: Int64, of object: GraphObject) -> Bool {
    guard let entity = object.layout.columns[column].target.flatMap(model.index(of:)),
      let owner = tables[entity]?.object(key), owner.isDeleted
    else { return false }
    return owner.isKnownDeletedAbove || isDeletedAbove(key, entity)
  }

  /// Whether a context above has deleted an object or, as far as that can be read, others have:
  /// their deletion may wait for a merge.
  private func isDeletedAbove(_ key: Int64, _ entity: Int) -> Bool {
    guard let parent else {
      guard let reader = try? currentReader() else { return false }
      return (try? reader.row(key, of: entity, into: cells)) == false
    }
    guard let above = parent.tables[entity]?.object(key) else {
      return parent.isDeletedAbove(key, entity)
    }
    if above.isDeleted || above.isKnownDeletedAbove { return true }
    return above.phase == .inserted ? false : parent.isDeletedAbove(key, entity)
  }
}

extension ObjectContext: CustomStringConvertible {
  /// The type, with the name if there is one: `ObjectContext "editing"`.
  public var description: String { "ObjectContext" + (name.map { " \($0.quoted)" } ?? "") }

  /// Adds the context's name to an error, unless it has one of a context above or below.
  func named(_ error: any Error) -> any Error {
    guard name != nil, let error = error as? GraphError else { return error }
    return named(error)
  }

  func named(_ error: GraphError) -> GraphError {
    var error = error
    error.context = error.context ?? name
    return error
  }

  /// Adds the context's name to what the closure throws.
  @inline(__always)
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw named(error) }
  }
}

extension ObjectContext {
  /// Tells `onFault`, or standard error, what could not be thrown.
  package func report(_ error: any Error) {
    let fault = named(error as? GraphError ?? GraphError("go on", .other("\(error)")))
    if let onFault { onFault(fault) } else { Self.tell("\(fault)") }
  }

  /// Writes a line to standard error.
  package static func tell(_ message: String) { StandardError.say("Lineage: \(message)") }

  /// Calls a closure, on whatever thread, whenever somebody else has committed to the store, as long
  /// as its owner lives.
  package func onNews(
    for owner: any AnyObject & Sendable, _ call: @escaping @Sendable () -> Void
  ) {
    let root = root
    guard let store = root.store else { return }
    root.inbox?.onPost(for: owner, call)
    if root.telling == nil { root.telling = store.tellOfOthers() }
  }

  /// Takes one of an owner's closures back.
  package func forgetNews(for owner: any AnyObject & Sendable) {
    if root.inbox?.forgetPost(for: owner) != true { root.telling = nil }
  }
}
