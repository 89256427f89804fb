/// The objects of one entity in a context's list of changes, by the ids that a to-one column refers
/// to.
///
/// It is created when a to-many property is first read while many objects are unsaved, so that each
/// further read costs only its members. Changes of objects other than edits drop it.
final class ReferenceIndex {
  private let column: Int
  /// For each id, the ids of objects that refer to it or did so before.
  private var referrers: [Int64: Set<Int64>] = [:]
  /// The ids of objects that were listed or edited since the index was last asked.
  ///
  /// They are ids because objects retain the table, which retains the index.
  private var edited: [Int64] = []
  private let limit: Int

  init(_ column: Int, of listed: [GraphObject]) {
    self.column = column
    edited = listed.map(\.key)
    limit = listed.count * 2 + 1024
  }

  /// Records an object that is listed or about to be edited. Returns false if so many are recorded
  /// that a new index is cheaper.
  func note(_ object: GraphObject) -> Bool {
    edited.append(object.key)
    return edited.count <= limit
  }

  /// Returns the ids of the objects in a table that refer to an id. Some may no longer refer to it.
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
  /// Returns the index of a column. It is created if there is none.
  func index(of column: Int, _ listed: [GraphObject]) -> ReferenceIndex {
    if let index = indexes[column] { return index }
    let index = ReferenceIndex(column, of: listed)
    indexes[column] = index
    hasIndexes = true
    return index
  }

  /// Records an object that is listed or about to be edited in all indexes.
  @inline(__always)
  final func noteEdit(of object: GraphObject) {
    if hasIndexes { noteInIndexes(object) }
  }

  private func noteInIndexes(_ object: GraphObject) {
    for index in indexes.values where !index.note(object) { return dropIndexes() }
  }

  /// Removes all indexes, because objects are changed in other ways than by edits.
  final func dropIndexes() {
    guard hasIndexes else { return }
    indexes = [:]
    hasIndexes = false
  }
}
