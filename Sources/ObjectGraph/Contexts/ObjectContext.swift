/// A place to fetch objects, to change them, and to save or discard the changes.
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
/// A context and its objects are confined to the isolation that made them, or that received them as
/// a whole. The compiler refuses code that shares them.
///
/// - Complexity: A child costs nothing until it is used, then one copy of each object that it uses.
public final class ObjectContext {
  /// The context whose objects this one copies; nil for a root.
  public let parent: ObjectContext?
  package let store: (any ObjectStore)?
  package let model: Model
  /// The inbox to which the store posts the commits of others; nil for a child and a draft.
  package let inbox: Inbox?

  /// A name for people, which descriptions, explanations, drift reports and errors show.
  public var name: String?

  /// The rule for properties that were changed both here and by another context or process.
  public var conflictPolicy: ConflictPolicy = .error

  /// A closure that receives errors which could not be thrown: a property that could not be read or
  /// written, or unsaved changes at the end of the context. Without it, they are written to
  /// standard error.
  public var onFault: (@Sendable (GraphError) -> Void)?

  /// The table of each entity that has objects here.
  let tables: TableList
  /// The objects of each entity that differ from the parent or the store. Some may differ no more.
  var listed: [[GraphObject]]
  private var children: [Child] = []
  /// The number of children at which released ones are removed.
  private var childLimit = 8
  var readDepth = 0
  /// The objects that were prefetched, here and below, until the unit of work ends. Only a root has
  /// them.
  var kept: [GraphObject] = []
  var undoLog: UndoLog?
  var followers: [WeakFollower] = []
  /// The token during whose life the store posts the commits of other processes. Only a root has
  /// it.
  private var telling: AnyObject?
  /// The states of the objects about which a policy has decided in the current save, as they were
  /// before.
  var undecided: [ObjectIdentifier: Undecided] = [:]
  let family: ContextFamily
  /// Whether the parent notifies this context, because it has objects or followers.
  private var isActive = false
  /// The cells of the row that is being read.
  let cells: CellRow

  private struct Child {
    weak var context: ObjectContext?
    /// The identity of the context, which is compared without loading the weak reference.
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

  /// Creates the root context of a store.
  package convenience init(store: any ObjectStore) {
    let inbox = Inbox()
    self.init(parent: nil, store: store, model: store.model, inbox: inbox)
    store.subscribe(inbox)
  }

  /// Creates a draft: a context without a store, for objects of a form, an archive or an import.
  ///
  /// Its objects can be changed and fetched, and changes can be undone; saving throws.
  /// `GraphArchive` saves the objects to a file and copies them into another context.
  ///
  /// - Throws: All mistakes of the entities' schemas in one error.
  /// - Complexity: Linear in the number of entities and their properties.
  public convenience init(draftOf entities: [any Entity.Type]) throws {
    self.init(parent: nil, store: nil, model: try Model(entities), inbox: nil)
  }

  /// Returns a new context that works on copies of this one's objects.
  public func makeChild() -> ObjectContext {
    let child = ObjectContext(parent: self, store: nil, model: model, inbox: nil)
    child.conflictPolicy = conflictPolicy
    child.onFault = onFault
    return child
  }

  /// Makes the parent notify this context of changes from now on. A context that was never used is
  /// not notified, so that it costs its parent nothing.
  func activate() {
    guard !isActive else { return }
    isActive = true
    guard let parent else { return }
    parent.activate()
    if parent.children.count >= parent.childLimit { parent.sweepChildren() }
    parent.children.append(Child(self))
    for table in parent.tables.all { table.isWatched = true }
  }

  /// Removes children that were released, so that a change does not visit them.
  func sweepChildren() {
    children.removeAll { $0.context == nil }
    childLimit = max(8, children.count * 2)
  }

  deinit {
    for table in tables.all { table.map.close() }
    // A draft cannot be saved, so its end breaks no promise.
    guard store != nil || parent != nil else { return }
    let unsaved = listed.joined().count(where: \.isUnsaved)
    if unsaved > 0 {
      let fault = GraphError("keep \(unsaved.of("unsaved object"))", .ended)
      report(fault)
    }
  }

  /// The context at the top, which has no parent.
  package var root: ObjectContext {
    var context = self
    while let parent = context.parent { context = parent }
    return context
  }

  /// Whether a save would have changes to save.
  ///
  /// - Complexity: Constant on average, because objects without changes are removed from the list
  ///   when they are found.
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
  ///
  /// - Complexity: Linear in the number of contexts below.
  public var hasUnsavedChangesBelow: Bool {
    var below = liveChildren
    while let context = below.popLast() {
      if context.hasUnsavedChanges { return true }
      below += context.liveChildren
    }
    return false
  }

  /// Calls a closure with each child, except one.
  ///
  /// It loops by index, because an iterator would copy weak references. A value that ends during
  /// the loop may do anything in its deinit, and may also change the list.
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
  /// Returns the table of an entity, which is made at its first use.
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

  /// Returns the index of an entity in the model.
  ///
  /// - Throws: `unknownEntity` if the model lacks it.
  func entity(_ type: any Entity.Type, to attempted: @autoclosure () -> String) throws -> Int {
    if let index = model.index(of: type) { return index }
    throw named(GraphError(attempted(), .unknownEntity(type.layout.name)))
  }

  /// Adds an object to the list of those that differ from the parent or the store.
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

  /// Makes tables report each change to this context, or stop.
  func watch() {
    let isWatching = isWatching
    for table in tables.all { table.isWatched = isWatching }
  }

  /// Records the state of a watched object before a change.
  func willChange(_ object: GraphObject) { undoLog?.record(object) }

  /// Notifies lists and child contexts of a change of a watched object. Children that have not
  /// edited their copy follow it.
  func didChange(_ object: GraphObject) {
    guard case .table(let table) = object.home else { return }
    didChange(object, in: table, except: nil)
  }

  /// Notifies lists and child contexts of a change, except the child that has the change already.
  func didChange(_ object: GraphObject, in table: AnyTable, except source: ObjectContext?) {
    tell(object.key, table.entity)
    forEachChild(except: source) { $0.follow(object, in: table.entity) }
    family.tellOfEnd()
  }

  /// Takes over a change of an object above, except in properties that are edited here.
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

  /// Returns whether the object to which a to-one column referred is deleted both here and above.
  func isDeletedOnBothSides(_ column: Int, _ key: Int64, of object: GraphObject) -> Bool {
    guard let entity = object.layout.columns[column].target.flatMap(model.index(of:)),
      let owner = tables[entity]?.object(key), owner.isDeleted
    else { return false }
    return owner.isKnownDeletedAbove || isDeletedAbove(key, entity)
  }

  /// Returns whether a context above has deleted an object or, as far as that can be read, others
  /// have deleted its row. Their deletion may wait for a merge.
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
  /// The type, and the name if there is one: `ObjectContext "editing"`.
  public var description: String { "ObjectContext" + (name.map { " \($0.quoted)" } ?? "") }

  /// Returns an error with the context's name, unless it has the name of a context above or below.
  func named(_ error: any Error) -> any Error {
    guard name != nil, let error = error as? GraphError else { return error }
    return named(error)
  }

  func named(_ error: GraphError) -> GraphError {
    var error = error
    error.context = error.context ?? name
    return error
  }

  /// Runs a closure, and adds the context's name to the error that it throws.
  @inline(__always)
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw named(error) }
  }
}

extension ObjectContext {
  /// Reports an error that could not be thrown to `onFault`, or to standard error.
  package func report(_ error: any Error) {
    let fault = named(error as? GraphError ?? GraphError("go on", .other("\(error)")))
    if let onFault { onFault(fault) } else { Self.tell("\(fault)") }
  }

  /// Writes a line to standard error.
  package static func tell(_ message: String) { StandardError.say("Lineage: \(message)") }

  /// Registers a closure, which is called on any thread whenever another context or process has
  /// committed to the store, until its owner is released.
  package func onNews(
    for owner: any AnyObject & Sendable, _ call: @escaping @Sendable () -> Void
  ) {
    let root = root
    guard let store = root.store else { return }
    root.inbox?.onPost(for: owner, call)
    if root.telling == nil { root.telling = store.tellOfOthers() }
  }

  /// Removes one of an owner's closures.
  package func forgetNews(for owner: any AnyObject & Sendable) {
    if root.inbox?.forgetPost(for: owner) != true { root.telling = nil }
  }
}
