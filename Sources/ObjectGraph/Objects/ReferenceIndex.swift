/// An index of the changed objects of one entity in a context. It finds objects by the id to which
/// one of their to-one columns refers.
///
/// The index is created when a to-many property is read while many objects are unsaved. Each later
/// read then visits only the objects that refer, or once referred, to the owner. Changes that are
/// not edits remove the index.
final class ReferenceIndex {
  private let column: Int
  /// For each id, the ids of the objects that refer or once referred to it.
  private var referrers: [Int64: Set<Int64>] = [:]
  /// The ids of objects that were listed as changed, or edited, since the last use of the index.
  ///
  /// The array has ids instead of objects, because objects retain the table, which retains the
  /// index.
  private var edited: [Int64] = []
  private let limit: Int

  init(_ column: Int, of listed: [GraphObject]) {
    self.column = column
    edited = listed.map(\.key)
    limit = listed.count * 2 + 1024
  }

  /// Records an object that was listed as changed or is about to be edited. Returns false if so
  /// many objects are recorded that a new index is cheaper.
  func note(_ object: GraphObject) -> Bool {
    edited.append(object.key)
    return edited.count <= limit
  }

  /// Returns the ids of the objects in a table that refer, or once referred, to an id.
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
  /// Returns the reference index of a to-one column. If there is none, creates it.
  func index(of column: Int, _ listed: [GraphObject]) -> ReferenceIndex {
    if let index = indexes[column] { return index }
    let index = ReferenceIndex(column, of: listed)
    indexes[column] = index
    hasIndexes = true
    return index
  }

  /// Records an object that was listed as changed, or is about to be edited, in all indexes.
  @inline(__always)
  final func indexEdit(of object: GraphObject) {
    if hasIndexes { addToIndexes(object) }
  }

  private func addToIndexes(_ object: GraphObject) {
    for index in indexes.values where !index.note(object) { return dropIndexes() }
  }

  /// Removes all indexes, because objects are about to change without edits, which the indexes
  /// would miss.
  final func dropIndexes() {
    guard hasIndexes else { return }
    indexes = [:]
    hasIndexes = false
  }
}
