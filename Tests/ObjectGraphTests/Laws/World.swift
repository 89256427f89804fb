extension Laws {
  /// A value that the program or a delete rule has set in a context.
  struct Mine: Hashable {
    var value: Int
    var isByRule = false
  }

  /// The unsaved changes of one object in a context.
  struct Edit: Hashable {
    enum Status { case changed, inserted, deleted }

    var status = Status.changed
    /// The values of an inserted object; nil for other objects.
    var own: Row?
    /// The context's own values of the edited and contested properties.
    var cells: [Property: Mine] = [:]
    /// For each contested property, the value with which both sides began.
    var contested: [Property: Int] = [:]
    /// The last row in the parent or the store, if the context learned that the object is deleted
    /// there; nil otherwise.
    var lost: Row?
    /// Whether the object is deleted here, and the context learned of a change in the parent or the
    /// store.
    var isDeletionContested = false

    /// Whether the object has no unsaved changes.
    var isClean: Bool { status == .changed && cells.isEmpty }
  }

  /// One change that an undo reverts. In `set`, nil means that the property was not edited.
  enum Change: Hashable {
    case set(ID, Property, before: Mine?, after: Mine?)
    case insert(ID)
    /// `buried` has the contests that ended with the deletion.
    case delete(ID, buried: [Property: Int])
    /// The deletion of a new object.
    case remove(ID)
    /// The restoration of a deleted object by a child's save.
    case revive(ID)
  }

  /// One context, as the laws describe it.
  struct Context: Hashable {
    let parent: Int?
    /// The rows that the context last received from its parent or the store. A child receives the
    /// changes of its parent at once.
    var taken: [ID: Row]
    var edits: [ID: Edit] = [:]
    /// The last values of new objects that were discarded, deleted or undone.
    var drafts: [ID: Row] = [:]
    /// The drafts that were deleted or undone, but not discarded.
    var removed: Set<ID> = []
    /// The objects whose changes came from a child's save. If such an object was deleted here, the
    /// documentation does not say whether it counts as new.
    var kept: Set<ID> = []
    /// Objects of which the documentation does not say whether they are deleted.
    var unclear: Set<ID> = []
    /// The objects that were deleted in the context, and the objects that the context has learned
    /// to be deleted elsewhere.
    var gone: Set<ID> = []
    var recordsUndo = false
    var undone: [[Change]] = []
    var done: [[Change]] = []
    /// For each contest that an undo ended, the value with which both sides began.
    var ended: [ID: [Property: Int]] = [:]
    var policy = Policy.error
    /// The objects in a root's mailbox. Others have committed changes of these objects, which the
    /// root has not merged.
    var waiting: Set<ID> = []
    /// The rows of the mailbox that lists may lack, in the root and in the contexts below it.
    var mail = Mail()
    /// The rows of the store in a root's current moment.
    var view: [ID: Row]
  }

  /// A store and its contexts.
  struct World: Hashable {
    var store: [ID: Row]
    var contexts: [Context]
    /// Whether the program retains all objects.
    let holdsAll: Bool
    /// The changes of the open group; nil if no group is open.
    var group: [Change]?

    init(_ setting: Setting) {
      store = Dictionary(
        uniqueKeysWithValues: setting.rows.enumerated().map { ($0.offset + 1, $0.element) })
      holdsAll = setting.holdsAll
      contexts = []
      for (index, parent) in [nil, nil, 0, 2].enumerated() {
        var context = Context(parent: parent, taken: store, view: store)
        context.recordsUndo = setting.recordsUndo[index]
        contexts.append(context)
      }
    }
  }
}

extension Laws.World {
  typealias ID = Laws.ID
  typealias Row = Laws.Row

  func children(of context: Int) -> [Int] {
    contexts.indices.filter { contexts[$0].parent == context }
  }

  func root(of context: Int) -> Int { contexts[context].parent.map(root) ?? context }

  /// Returns the row that a context last received from its parent or the store.
  func base(_ id: ID, in context: Int) -> Row? {
    contexts[context].taken[id] ?? contexts[context].edits[id]?.lost
  }

  /// Returns the current row in a context's parent, or in the store for a root.
  func above(_ id: ID, of context: Int) -> Row? {
    guard let parent = contexts[context].parent else { return store[id] }
    return shown(id, in: parent)
  }

  /// Returns the row that a context shows; nil if it shows none.
  func shown(_ id: ID, in context: Int) -> Row? {
    guard let edit = contexts[context].edits[id] else { return contexts[context].taken[id] }
    switch edit.status {
    case .inserted: return edit.own
    case .deleted: return nil
    case .changed:
      guard var row = base(id, in: context) else { return nil }
      for (property, mine) in edit.cells { row[property] = mine.value }
      return row
    }
  }

  /// Returns all rows that a context shows.
  func shown(in context: Int) -> [ID: Row] {
    var rows: [ID: Row] = [:]
    for id in contexts[context].taken.keys { rows[id] = shown(id, in: context) }
    for id in contexts[context].edits.keys { rows[id] = shown(id, in: context) }
    return rows
  }

  /// Tells whether the next save writes an object or asks about it.
  func isChanged(_ id: ID, in context: Int) -> Bool {
    guard let edit = contexts[context].edits[id] else { return false }
    return !(edit.status == .deleted && isDeletedTwice(id, in: context))
  }

  func hasUnsavedChanges(_ context: Int) -> Bool {
    contexts[context].edits.keys.contains { isChanged($0, in: context) }
  }

  func hasUnsavedChangesBelow(_ context: Int) -> Bool {
    children(of: context).contains { hasUnsavedChanges($0) || hasUnsavedChangesBelow($0) }
  }

  /// Returns the properties that the next save writes or asks about; nil if the documentation does
  /// not say which.
  func changedProperties(_ id: ID, in context: Int) -> [Laws.Property]? {
    guard let edit = contexts[context].edits[id] else { return [] }
    switch edit.status {
    case .inserted: return edit.own.map { Array($0.properties) }
    case .deleted: return nil
    case .changed:
      if edit.lost != nil { return nil }
      return Laws.Property.allCases.filter { edit.cells[$0] != nil }
    }
  }
}
