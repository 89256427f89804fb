/// The listed objects of one entity in one context, by what a to-one column refers to.
///
/// Made when a to-many property is first read while many objects are unsaved, so that each further
/// one costs its members. It is dropped by whatever changes objects other than an edit.
final class ReferenceIndex {
  private let column: Int
  /// For each id that is referred to, the ids of the objects that refer to it, perhaps no longer.
  private var referrers: [Int64: Set<Int64>] = [:]
  /// The ids of objects that were listed or edited since the last time it was asked.
  ///
  /// Not the objects: they have the table that has the index.
  private var edited: [Int64] = []
  private let limit: Int

  init(_ column: Int, of listed: [GraphObject]) {
    self.column = column
    edited = listed.map(\.key)
    limit = listed.count * 2 + 1024
  }

  /// Remembers to look at an object that is listed or about to be edited; false if so many wait that
  /// a new index is cheaper.
  func note(_ object: GraphObject) -> Bool {
    edited.append(object.key)
    return edited.count <= limit
  }

  /// The ids of the objects in a table that refer to an id, and perhaps some that did.
  func candidates(_ key: Int64, in table: AnyTable) -> Set<Int64> {
    for other in edited {
      guard let target = table.object(other)?.target(of: column) else { continue }
      referrers[target, default: []].insert(other)
    }
    edited.removeAll(keepingCapacity: true)
    return referrers[key] ?? []
  }
}

extension AnyTable {
  /// The index of a column, made if there is none.
  func index(of column: Int, _ listed: [GraphObject]) -> ReferenceIndex {
    if let index = indexes[column] { return index }
    let index = ReferenceIndex(column, of: listed)
    indexes[column] = index
    hasIndexes = true
    return index
  }

  /// Tells the indexes of an object that is listed or about to be edited.
  @inline(__always)
  final func noteEdit(of object: GraphObject) {
    if hasIndexes { noteInIndexes(object) }
  }

  private func noteInIndexes(_ object: GraphObject) {
    for index in indexes.values where !index.note(object) { return dropIndexes() }
  }

  /// Forgets the indexes: objects are changed otherwise than by edits.
  final func dropIndexes() {
    guard hasIndexes else { return }
    indexes = [:]
    hasIndexes = false
  }
}
