/// The unsaved change of one object, apart from its context. An archive keeps it, and a later process
/// replays it in a context of the same store.
///
/// It has what a conflict is judged by: the values that the change began with.
package final class KeptEdit {
  /// The sort of a change. The raw values are part of the format of archives.
  package enum Change: UInt8, Sendable {
    case inserted
    case updated
    case deleted
    /// The object was deleted above, and a policy has decided to insert it again.
    case insertedAgain
  }

  /// The index of the object's entity in the context's model.
  package let entity: Int
  package let key: Int64
  package let change: Change
  /// The properties that were kept. In the values, the other properties have no meaning.
  package let columns: ColumnMask
  /// The value that the object shows. Of a deleted object, this is the value to compare its row with.
  package let value: AnyBox
  /// The value that the edits began with; that of a new object has no meaning.
  package let base: AnyBox
  /// The values that contested properties had before either side changed them. Other values have no
  /// meaning. Nil if nothing is contested.
  package let origin: AnyBox?
  /// The edited and contested properties of an updated object.
  package let edited: ColumnMask
  package let contested: ColumnMask
  /// The references that a delete rule has set to nil.
  package let emptied: ColumnMask

  package init(
    entity: Int, change: Change, columns: ColumnMask, value: AnyBox, base: AnyBox, origin: AnyBox?,
    edited: ColumnMask, contested: ColumnMask, emptied: ColumnMask
  ) {
    (self.entity, key, self.change, self.columns) = (entity, value.key, change, columns)
    (self.value, self.base, self.origin) = (value, base, origin)
    (self.edited, self.contested, self.emptied) = (edited, contested, emptied)
  }

  /// Copies the unsaved change of an object. The result is nil if there is none, or if all changed
  /// properties are declared with `inState: false`.
  convenience init?(of object: GraphObject, _ entity: Int) {
    guard object.isUnsaved else { return nil }
    let change: Change
    switch object.phase {
    case .inserted: change = object.hasBase ? .insertedAgain : .inserted
    case .updated: change = .updated
    case .deleted: change = .deleted
    case .clean, .gone, .lone: return nil
    }
    let columns = object.layout.columnsInState
    let edited = change == .deleted ? ColumnMask() : object.unsavedColumns.intersection(columns)
    if change == .updated, edited.isEmpty { return nil }
    let base = object.base?.copy() ?? object.boxed()
    let contest = base.contest
    base.contest = nil
    let value = change == .deleted ? base : object.boxed()
    var emptied = base.emptied.intersection(columns)
    if change == .deleted { emptied = emptied.intersection(object.nilReferences) }
    for box in [value, base, contest?.origin] { box?.clear(allBut: columns) }
    self.init(
      entity: entity, change: change, columns: columns, value: value, base: base,
      origin: contest?.origin, edited: edited,
      contested: contest?.columns.intersection(columns) ?? ColumnMask(),
      emptied: emptied)
  }
}

extension AnyBox {
  /// Returns a box with a value.
  package static func make<Value: Entity>(_ value: Value, key: Int64) -> AnyBox {
    Box(key: key, value)
  }

  package final func copyValue() -> AnyBox {
    let copy = copy()
    copy.contest = nil
    return copy
  }

  /// Returns the cell of a property.
  package final func cell(of column: Int, in arena: CellArena) throws -> ColumnCell {
    try withMemory { try layout.columns[column].cell(of: $0, in: arena) }
  }

  /// Sets a property to an archived value. `scratch` is memory for a value of the entity.
  ///
  /// - Throws: ``ColumnFault`` if the value does not fit the property.
  package final func set(
    _ column: Int, to cell: ColumnCell, _ scratch: StructMemory
  ) throws {
    let column = layout.columns[column]
    try column.decode(cell, into: scratch)
    withMemory { column.assign(from: scratch, to: $0) }
    column.destroy(in: scratch)
  }

  /// Sets all properties except the given ones to their values in a new object.
  fileprivate func clear(allBut columns: ColumnMask) {
    let layout = layout
    let cleared = layout.allColumns.subtracting(columns)
    guard !cleared.isEmpty else { return }
    func initial<Value: Entity>(_: Value.Type) -> AnyBox { .make(Value(), key: key) }
    initial(layout.type).withMemory { take(cleared, of: $0) }
  }
}

extension GraphObject {
  /// The to-one columns that refer to no object.
  fileprivate var nilReferences: ColumnMask {
    layout.referenceColumns.reduce(into: ColumnMask()) {
      if target(of: $1) == nil { $0.insert($1) }
    }
  }
}
