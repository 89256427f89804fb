extension Laws {
  /// A value set here, by hand or by a delete rule.
  struct Mine: Hashable {
    var value: Int
    var isByRule = false
  }

  /// The change of one object in a context.
  struct Edit: Hashable {
    enum Status { case changed, inserted, deleted }

    var status = Status.changed
    /// The values of an inserted object.
    var own: Row?
    /// The edited and contested properties with this context's values.
    var cells: [Property: Mine] = [:]
    /// The contested properties with the value that both sides began with.
    var contested: [Property: Int] = [:]
    /// The object's row when the context learned that it was deleted above.
    var lost: Row?
    /// Whether the context learned that above changed what it has deleted.
    var isDeletionContested = false

    /// Whether the object is as if it had never been touched.
    var isClean: Bool { status == .changed && cells.isEmpty }
  }

  /// One change that an undo takes back. A property that was not edited has no value of its own.
  enum Change: Hashable {
    case set(ID, Property, before: Mine?, after: Mine?)
    case insert(ID)
    case delete(ID)
    /// A new object was deleted.
    case remove(ID)
    /// A save from below brought a deleted object back.
    case revive(ID)
  }

  /// One context as the laws describe it.
  struct Context: Hashable {
    let parent: Int?
    /// The rows that the context last took from above, for each object that it knows; a child takes
    /// its parent's values at once.
    var taken: [ID: Row]
    var edits: [ID: Edit] = [:]
    /// New objects that were discarded, deleted or undone, with their last values.
    var drafts: [ID: Row] = [:]
    /// The drafts that were deleted or undone.
    var removed: Set<ID> = []
    /// Objects that a save from below kept over a deletion: whether they are new is not documented.
    var kept: Set<ID> = []
    /// Objects of which the documentation does not say whether they are deleted.
    var unclear: Set<ID> = []
    /// The objects that the context learned to be deleted, or has deleted.
    var gone: Set<ID> = []
    var recordsUndo = false
    var undone: [[Change]] = []
    var done: [[Change]] = []
    /// The contests that undo has ended, with the values with which both sides began.
    var ended: [ID: [Property: Int]] = [:]
    var policy = Policy.error
    /// A root's mailbox.
    var waiting: Set<ID> = []
    /// The mailbox as the lists of the root, and of the contexts below it, may know of it.
    var mail = Mail()
    /// The store as of a root's unit of work.
    var view: [ID: Row]
  }

  /// A store and its contexts.
  struct World: Hashable {
    var store: [ID: Row]
    var contexts: [Context]
    /// Whether all objects are kept.
    let holdsAll: Bool
    /// The changes of the group that is open.
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

  /// Returns the row that the context last took from above.
  func base(_ id: ID, in context: Int) -> Row? {
    contexts[context].taken[id] ?? contexts[context].edits[id]?.lost
  }

  /// Returns the row that is above now: the parent's value, or the store's row.
  func above(_ id: ID, of context: Int) -> Row? {
    guard let parent = contexts[context].parent else { return store[id] }
    return shown(id, in: parent)
  }

  /// Returns the row that the context shows.
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

  /// Returns all rows that the context shows.
  func shown(in context: Int) -> [ID: Row] {
    var rows: [ID: Row] = [:]
    for id in contexts[context].taken.keys { rows[id] = shown(id, in: context) }
    for id in contexts[context].edits.keys { rows[id] = shown(id, in: context) }
    return rows
  }

  /// Tells whether a save has anything to do with the object.
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

  /// Returns the properties that the next save writes or asks about; nil where the documentation
  /// does not say.
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
