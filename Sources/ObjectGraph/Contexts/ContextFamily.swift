/// The state that a root context shares with all contexts below it.
final class ContextFamily {
  let operation = Operation()
  let merger: Merger
  /// The child contexts of the edits whose closures are running, by the numbers of the edits.
  var openEdits: [Int64: ObjectContext] = [:]
  /// The save of several contexts that is under way; nil at other times.
  var chainSave: ChainSave?
  /// Whether a delete rule has ever set a reference to nil in one of the contexts.
  var hasEmptied = false
  /// The number of unsaved objects that lookups of to-many properties have examined. Tests check
  /// it.
  var examined = 0
  /// The tables of a context without objects. All contexts begin with this list, so a new context
  /// needs no memory for a list of its own.
  let noTables: [AnyTable?]
  /// The lists of a context without unsaved objects, one for each entity. All contexts begin with
  /// these lists, too.
  let noObjects: [[GraphObject]]

  init(_ session: StoreSession, entityCount: Int) {
    merger = Merger(session, operation, entityCount: entityCount)
    noTables = Array(repeating: nil, count: entityCount)
    noObjects = Array(repeating: [], count: entityCount)
  }
}
