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
/// A context and its objects are confined to the isolation that created the context, or to the
/// isolation to which it was handed over as a whole. The compiler refuses code that shares them.
///
/// - Complexity: A child costs nothing until it is used. Then it costs one copy of each object that
///   it uses.
public final class ObjectContext {
  /// The context whose objects this context copies; nil for a root.
  public let parent: ObjectContext?
  package let model: Model

  /// A name that descriptions, explanations, reports and errors show; nil by default.
  public var name: String?

  /// The rule for properties that were changed both here and by another context or process;
  /// `.error` by default.
  public var conflictPolicy: ConflictPolicy = .error

  /// A closure that receives errors which cannot be thrown. Such an error occurs if a property
  /// cannot be read or written, or if the context ends with unsaved changes. Without a closure, the
  /// errors are written to standard error.
  public var onError: (@Sendable (GraphError) -> Void)?

  /// The tables of this context's objects, one for each entity that the context has used.
  private let tables: TableList
  // No unknown code runs during an access to one of the three lists, so accesses cannot overlap, and
  // the checks of exclusivity would only cost time (benchmark `child save`).

  /// The objects that may have unsaved changes.
  @exclusivity(unchecked) @safe private(set) var changes: ChangeList
  @exclusivity(unchecked) @safe private(set) var children = ChildList()
  @exclusivity(unchecked) @safe private(set) var followers = FollowerList()
  private(set) var undoLog: UndoLog?
  /// The saves of kept contexts; nil if neither this context nor one that was saved into it is kept.
  private(set) var ledger: SaveLedger?
  let session: StoreSession
  let family: ContextFamily
  /// Whether the parent notifies this context of changes. The parent does so if this context has
  /// had objects or followers.
  private var isActive = false

  /// Creates the root context of a store or, without a store, a draft.
  private init(_ store: (any ObjectStore)?, _ model: Model) {
    parent = nil
    self.model = model
    session = StoreSession(store, model)
    family = ContextFamily(session, entityCount: model.layouts.count)
    tables = TableList(family.noTables)
    changes = ChangeList(lists: family.noObjects)
  }

  private init(childOf parent: ObjectContext) {
    self.parent = parent
    model = parent.model
    session = parent.session
    family = parent.family
    tables = TableList(family.noTables)
    changes = ChangeList(lists: family.noObjects)
    conflictPolicy = parent.conflictPolicy
    onError = parent.onError
  }

  /// Creates the root context of a store.
  package convenience init(store: any ObjectStore) { self.init(store, store.model) }

  /// Creates a draft, which is a context without a store, for the objects of a form, an archive or
  /// an import.
  ///
  /// Objects of a draft can be changed and fetched, and changes can be undone. Saving throws an
  /// error. `GraphArchive` saves the objects to a file and copies them into another context.
  ///
  /// - Throws: All mistakes of the entities' schemas in one error.
  /// - Complexity: At most quadratic in the number of entities and properties, because the schemas
  ///   are compared with each other.
  public convenience init(draftOf entities: [any Entity.Type]) throws {
    self.init(nil, try Model(entities))
  }

  /// Returns a new context that works on copies of this context's objects.
  public func makeChild() -> ObjectContext { ObjectContext(childOf: self) }

  /// Makes the parent notify this context of changes from now on. Before its first use, a context
  /// is not notified and costs its parent nothing.
  func activate() {
    guard !isActive else { return }
    isActive = true
    followByLedger()
    guard let parent else { return }
    parent.activate()
    parent.children.add(self)
    parent.tables.forEach { $0.isWatched = true }
  }

  deinit {
    tables.forEach { $0.end() }
    // A draft cannot be saved, so losing its objects is no fault. Kept changes come back.
    guard !isDraft, ledger?.isHandedOver != true else { return }
    let unsaved = changes.joined.filter(\.isUnsaved).map(\.reference)
    guard !unsaved.isEmpty else { return }
    let names = unsaved.list(first: 5)
    report(GraphError("keep \(unsaved.count.of("unsaved object")) (\(names))", .ended))
  }

  @inline(__always)
  var merger: Merger { family.merger }

  /// The store of the context at the top; nil if that is a draft.
  package var store: (any ObjectStore)? { session.store }

  /// The context at the top, which has no parent.
  package var root: ObjectContext {
    var context = self
    while let parent = context.parent { context = parent }
    return context
  }

  /// Whether the context has changes to save.
  ///
  /// - Complexity: Constant on average, because each search removes the objects without changes
  ///   that it finds in the list of changed objects.
  public var hasUnsavedChanges: Bool {
    // The search may run code of an application's types, so it works on a list that nobody else sees.
    var list = ChangeList(lists: [])
    swap(&list, &changes)
    defer { swap(&list, &changes) }
    return list.hasUnsaved()
  }

  /// Whether a context below has changes that it has not saved into this one.
  ///
  /// - Complexity: Linear in the number of contexts below.
  public var hasUnsavedChangesBelow: Bool {
    var below = children.living
    while let context = below.popLast() {
      if context.hasUnsavedChanges { return true }
      below += context.children.living
    }
    return false
  }

}

// All changes of the stored properties are in this file, except of the public ones.

extension ObjectContext {
  /// Returns this context's object with an id; nil if it has none.
  @inline(__always)
  func held(_ key: Int64, _ entity: Int) -> GraphObject? { tables[entity]?.object(key) }

  /// Returns the table of an entity; nil if the context has had no object of the entity.
  func usedTable(_ entity: Int) -> AnyTable? { tables[entity] }

  var usedTables: [AnyTable] { tables.all }

  /// Drops the indexes of all tables, before objects change their lists.
  func dropIndexes() { tables.forEach { $0.dropIndexes() } }

  /// Adds an object that is about to be changed to the list of changes.
  @inline(__always)
  func noteChange(_ object: GraphObject, in table: AnyTable) {
    // An object without changes can be in the list already, so the indexes hear of it in either case.
    table.indexEdit(of: object)
    guard !object.isListed else { return }
    object.isListed = true
    changes.append(object, of: table.entity)
  }

  /// Removes all objects from the list of changes and returns them.
  func takeChanges() -> [[GraphObject]] { changes.takeAll() }

  /// Replaces the list of changes by the one before a save that has failed.
  func restoreChanges(_ before: ChangeList) { changes = before }

  func setUndoLog(_ log: UndoLog?) { undoLog = log }

  func setLedger(_ ledger: SaveLedger) { self.ledger = ledger }

  /// Makes the ledger hear of changes if the context is kept. Before its first use, a context has none
  /// and costs its parent nothing.
  func followByLedger() {
    guard isActive, let ledger, ledger.onChange != nil else { return }
    // The family does not tell it of rows without objects, so it need not know the context.
    followers.add(ledger, isOfObjects: false)
    updateWatchedTables()
  }

  /// Removes released children from the list, so that a change does not visit them.
  func sweepChildren() { children.sweep() }

  /// Registers a follower, which the context notifies of each change. The context does not retain
  /// the follower. The registration ends when the follower is released.
  package func addFollower(_ follower: any ContextFollower) {
    followers.add(follower, isOfObjects: follower.stage == .objects)
    activate()
    family.operation.follow(self)
    updateWatchedTables()
  }

  /// Ends a loop when this context ends.
  func endWithContext(_ wake: LoopWake) { followers.endingLoops().add(wake) }

  /// Returns the table of an entity, which is made at its first use.
  @inline(__always)
  func table(_ entity: Int) -> AnyTable { tables[entity] ?? makeTable(entity) }

  private func makeTable(_ entity: Int) -> AnyTable {
    let layout = model.layouts[entity]
    func make<Value: Entity>(_: Value.Type) -> AnyTable {
      ObjectTable<Value>(self, entity: entity, layout: layout, family.permit)
    }
    // An empty copy of the parent's table needs no lookup of a generic type by the runtime
    // (`restore objects` with branches).
    let table = parent?.tables[entity]?.emptyCopy(for: self) ?? make(layout.type)
    table.isWatched = isWatching
    tables.add(table)
    activate()
    return table
  }

  /// Returns the index of an entity in the context's model.
  ///
  /// - Throws: `unknownEntity` if the model does not have the entity.
  func entity(_ type: any Entity.Type, to attempted: @autoclosure () -> String) throws -> Int {
    if let index = model.index(of: type) { return index }
    throw named(GraphError(attempted(), .unknownEntity(type.layout.name)))
  }

  private var isWatching: Bool {
    undoLog != nil || !children.isEmpty || !followers.isEmpty
  }

  /// Tells the tables whether they must report each change to this context. They must if the
  /// context has an undo log, a child or a follower.
  func updateWatchedTables() {
    let isWatching = isWatching
    tables.forEach { $0.isWatched = isWatching }
  }

  /// Records the state of an object in the undo log before a change.
  func willChange(_ object: GraphObject) {
    undoLog?.record(object)
    witness(object)
  }

  /// Notes the value of an object before a change, if a follower must know which columns change.
  func witness(_ object: GraphObject) {
    let witness = family.operation.witness
    guard witness.isNeeded, case .table(let table) = object.home, table.isWatched else { return }
    witness.record(object)
  }

  /// Notifies lists and child contexts that an object has changed. Children apply the change,
  /// except in properties that they have edited.
  func didChange(_ object: GraphObject) {
    guard case .table(let table) = object.home else { return }
    didChange(object, in: table, except: nil)
  }

  /// Notifies lists and child contexts that an object has changed. The child from which the change
  /// came, if any, is not notified.
  func didChange(_ object: GraphObject, in table: AnyTable, except source: ObjectContext?) {
    if let saving = family.chainSave, saving.postpones(object, in: self) { return }
    let witness = family.operation.witness
    let columns = witness.isNeeded ? witness.takeColumns(of: object) : nil
    notifyFollowers(object.key, table.entity, columns)
    forEachChild(except: source) { $0.follow(object, in: table.entity, columns) }
    family.operation.tellOfEnd()
  }

  /// Applies a change of an object in the context above to this context's copy, except in
  /// properties that are edited here. `columns` contains the changed columns; nil if they are
  /// unknown.
  func follow(_ original: GraphObject, in entity: Int, _ columns: ColumnMask?) {
    let copy = held(original.key, entity)
    if let copy {
      guard copy.phase != .inserted || copy.hasBase else { return }
      follow(original, by: copy)
    }
    notifyFollowers(original.key, entity, columns)
    forEachChild { $0.follow(copy ?? original, in: entity, columns) }
  }

  func follow(_ original: GraphObject, by copy: GraphObject) {
    if copy.isListed, case .table(let table) = copy.home { table.dropIndexes() }
    if original.isDeleted { return copy.followDeletion() }
    copy.follow(original) { isDeletedOnBothSides($0, $1, of: copy) }
  }

  /// Returns whether an owner was deleted both here and above. The owner is the object with the id
  /// `key`, to which the given to-one column of `object` referred. An owner that was only deleted
  /// above does not count, whether the context holds its object or not.
  func isDeletedOnBothSides(_ column: Int, _ key: Int64, of object: GraphObject) -> Bool {
    guard let entity = object.layout.columns[column].target.flatMap(model.index(of:)),
      let owner = held(key, entity),
      owner.phase == .deleted || owner.phase == .gone && owner.isContested
    else { return false }
    return owner.isKnownDeletedAbove || isDeletedAbove(key, entity)
  }

  /// Returns whether an object is deleted in a context above or in the store. A deletion in the
  /// store counts even before it is merged. If the store cannot be read, the object counts as not
  /// deleted.
  private func isDeletedAbove(_ key: Int64, _ entity: Int) -> Bool {
    guard let parent else {
      return session.store != nil && (try? session.readRow(key, of: entity)) == false
    }
    guard let above = parent.held(key, entity) else {
      return parent.isDeletedAbove(key, entity)
    }
    if above.isDeleted || above.isKnownDeletedAbove { return true }
    return above.phase == .inserted ? false : parent.isDeletedAbove(key, entity)
  }
}

extension ObjectContext: CustomStringConvertible {
  /// The type's name, and the context's name if there is one: `ObjectContext "editing"`.
  public var description: String { "ObjectContext" + (name.map { " \($0.quoted)" } ?? "") }

  /// Returns the error with this context's name. If the error already names a context, it is
  /// returned unchanged.
  func named(_ error: any Error) -> any Error {
    guard name != nil, let error = error as? GraphError else { return error }
    return named(error)
  }

  func named(_ error: GraphError) -> GraphError {
    var error = error
    error.context = error.context ?? name
    return error
  }

  /// Runs a closure. If it throws an error, adds this context's name to the error.
  @inline(__always)
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw named(error) }
  }
}

extension ObjectContext {
  /// Reports an error that could not be thrown. The error goes to `onError` or, without such a
  /// closure, to standard error.
  package func report(_ error: any Error) {
    let fault = named(error as? GraphError ?? GraphError("go on", .other("\(error)")))
    if let onError { onError(fault) } else { Self.printFault("\(fault)") }
  }

  /// Writes a message of the package to standard error.
  package static func printFault(_ message: String) { StandardError.say("Lineage: \(message)") }

  /// Returns whether this context and another one have the same root.
  package func hasRoot(of other: ObjectContext) -> Bool { family === other.family }
}
